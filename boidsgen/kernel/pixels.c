/* Pixels: the loops that lead the profile of drawing. */
