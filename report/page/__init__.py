"""report.html: one file that needs no network and no script, from report.json's data alone."""
