def pytest_addoption(parser):
    """An option of its own, since reading a diff is the way to judge a message."""
    parser.addoption("--store", action="store_true", help="store messages rather than compare with them")
