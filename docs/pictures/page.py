"""Make page.png, the page of quickstart with the first step of its lesson done; needs Chromium.

python docs/pictures/page.py
"""

import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from boidsgen import load_scenario
from boidsgen.webpage.writer import page_text

PICTURE = Path(__file__).with_name("page.png")
SIZE = {"width": 1280, "height": 720}

with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "page.html")
    file.write_text(page_text(load_scenario("quickstart")), "utf-8")
    browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
    page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
    page.goto(file.as_uri())
    page.evaluate("boidsgen.seek(200)")
    card = page.locator("#card")
    card.locator(".answer").nth(1).click()
    card.get_by_role("switch").uncheck()
    for frame in range(201, 301):
        page.evaluate(f"boidsgen.seek({frame})")
    page.mouse.move(0, 0)
    with Image.open(BytesIO(page.screenshot())) as shot:
        shot.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    browser.close()
