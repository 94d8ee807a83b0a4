"""The resources server of gridpuzzles_gym, in the folder where NeMo Gym looks for it; see the README beside it."""

from gridpuzzles_gym.text.adapters.nemo_gym_server import ConversationServer

if __name__ == "__main__":
    ConversationServer.run_webserver()
