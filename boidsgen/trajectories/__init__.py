"""Trajectories: where every animal was in every frame, saved and read back.

  recorder   what a format has to be; `formats/` holds one file per format, and standing there is being registered
  recording  a saved run as states again, so that it can be drawn without simulating

Only npz is read back: it holds every bit and the scenario. The other formats are for other programs.
"""
