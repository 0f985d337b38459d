"""Writers: frames in, files out.

  contract     what a writer has to be: `ClipWriter` for pictures, `Writer` for everything else
  gif, mp4, webp, webm, png, svg, pdf, npz, series, trajectories
               one kind of file each, or one family; the class writes, counts and reads back its own files
  formats      which formats of clips there are, and the scenario's table `[output]`
  figure, figures  what a writer of figures has to be, and which there are
  targets      what `-o` means: which path, which format
  outputs      the way of every file from its place to its name: `open_outputs`, `open_output`, `write_still`
  places       how a finished file comes to its name: complete or not at all
  recording    a saved run as states again; of the trajectories only npz is read back, since it holds every bit
  parts        the hidden temporaries in which outputs grow
  ffmpeg       the child process behind MP4 and WebM
  provenance   the scenario that a file carries, read back
  plugins      the writers for users of imageio

Nothing here prints; whatever the user should know is raised or stands in `notices`.
"""
