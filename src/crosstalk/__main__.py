from crosstalk.cli.main import run

run()
