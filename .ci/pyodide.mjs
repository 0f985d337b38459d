// Tries boidsgen in Python in a browser, by Pyodide in Node: node pyodide.mjs WHEEL REPORT
// REPORT is what `render quickstart --json` printed here: there the frames must have the same digest. Packages come from
// Pyodide's server and from PyPI; the variable PYODIDE names a folder with a full distribution, to do without the former.
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const wheel = process.argv[2];
const { frames, digest } = JSON.parse(process.argv[3]);
const home = resolve(process.env.PYODIDE ?? "build/pyodide/node_modules/pyodide");
const { loadPyodide } = await import(pathToFileURL(`${home}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${home}/` });
await python.loadPackage("micropip", { messageCallback() {} });
python.FS.writeFile(`/${basename(wheel)}`, readFileSync(wheel));
await python.runPythonAsync(`
import micropip
await micropip.install("emfs:/${basename(wheel)}")
import boidsgen
report = boidsgen.render("quickstart", "flock.gif", frames=${frames})
assert report.digest == "${digest}", "other frames than outside"
boidsgen.page("quickstart").save("flock.html")
boidsgen.still("quickstart", "flock.png", frames=3)
assert open("flock.png", "rb").read(4) == b"\\x89PNG"
assert open("flock.html").read().startswith("<!doctype html>")
try:
    boidsgen.render("quickstart", "flock.mp4")
except boidsgen.EncoderError as error:
    assert "runs no other program" in str(error), error
else:
    raise AssertionError("a film without ffmpeg")
import sys
print(f"works in Python {sys.version.split()[0]} on {sys.platform}: {report.frames} frames in {report.seconds:.1f} s")
`);
