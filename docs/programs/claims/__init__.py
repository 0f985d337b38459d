"""The five published documents, run by their own loops, and every claim that they make."""
