"""Pages about runs: tables for the terminal and for papers, and one page that holds everything."""
