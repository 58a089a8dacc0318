"""Every figure of `trueline metrics`: results read, analysed, and reported as text, data, HTML or a plot."""
