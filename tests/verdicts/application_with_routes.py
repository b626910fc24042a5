# profile: agent
from flask import Flask

app = Flask(__name__)


@app.route("/")
def index():
    return "hello"


@app.errorhandler(404)
def missing(error):
    return "nothing", 404


if __name__ == "__main__":
    app.run(debug=True)  # error: AF505
