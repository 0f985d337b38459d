# What one does here, one word each; `just` alone lists them, and .ci/run calls `just ci`.

# proofs, measurements, packages and releases; `just prove` lists them
mod prove '.ci/prove.just'

# The project's own tools come first, whether its environment is activated or not.
export PATH := justfile_directory() / (if os_family() == "windows" { ".venv/Scripts;" } else { ".venv/bin:" }) + env("PATH")

# Documents with parts that are made from the program.
export GENERATED := "docs/reference/*.md docs/explanation/speed.md docs/validation.md"

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

# Windows lacks most. What others lack alone would fail in tests there, and modules that ask for the system are checked for
# each.
# check the types on each system, and calls as programs make them by pyright, too
types:
    mypy --platform win32 --cache-dir .mypy_cache/win32 boidsgen tests/calls.py
    mypy --platform linux --cache-dir .mypy_cache/linux --follow-imports skip $(grep -rl --include='*.py' sys.platform boidsgen)
    mypy --platform darwin --cache-dir .mypy_cache/darwin --follow-imports skip $(grep -rl --include='*.py' sys.platform boidsgen)
    basedpyright --level error

# check the JavaScript of pages: types, layout and errors; the tools come from npm
page:
    npm ci --silent --prefix tests/page
    tests/page/node_modules/.bin/biome ci
    tests/page/node_modules/.bin/tsc --project tests/page/tsconfig.json

# make the generated parts of the documents, the schema, the manual page and the sheets of the course anew
docs:
    python -m cogapp -r $GENERATED
    python -m boidsgen schema > configs/scenario.schema.json
    python -m docs.programs.manual
    python -m docs.programs.sheets
    python -m docs.programs.models

# build the documents under docs/ as a site with its live pages, strictly, into build/site; --all: a page for each preset
site *arguments:
    zensical build --strict --clean -f .mkdocs.yml
    python docs/pictures/live.py build/site {{arguments}}

# everything that has to hold before a change lands: the tests, and beside them everything else
[parallel]
ci: test _checks

# everything but the tests, which build the site, too
_checks: lint types page prove::documented prove::workflows prove::bare prove::lowest prove::_memory prove::_wasm
