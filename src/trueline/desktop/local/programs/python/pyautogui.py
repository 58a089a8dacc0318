"""`import pyautogui` in any Python program of the desktop: the module that action code gets."""

import os
import sys

sys.path.append("/usr/local/lib/trueline/worker.pyz")

from trueline.desktop.worker.inside import pyautogui

sys.path.remove("/usr/local/lib/trueline/worker.pyz")
pyautogui.connect(os.environ.get("DISPLAY", ":0"))
sys.modules[__name__] = pyautogui
