"""``agent-bench pricing``."""
import typer
app = typer.Typer()
@app.command()
def pricing(json: bool = False) -> None:
    """Prices."""
    print("x", json)
