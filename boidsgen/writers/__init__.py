"""Writers: frames in, files out.

  output       the scenario's table `[output]`, and what each format refuses
  target       what `-o` means: which path, which format
  opening      `open_outputs`, the one entry of the render pipeline
  still        one picture instead of a clip
  contract     what a format has to be; `formats/` holds one file per format, and standing there is being registered
  publication  how a finished file comes to its name: complete or not at all
  parts        the hidden temporaries in which outputs grow
  ffmpeg       the child process behind MP4
  imageio_plugin  the same writers for users of imageio

Nothing here prints; whatever the user should know is raised or stands in `Outputs.notices`.
"""
