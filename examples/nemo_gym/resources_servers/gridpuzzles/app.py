"""The resources server of gridpuzzles_gym, where NeMo Gym looks for it; see the README of ``examples/nemo_gym``."""

from gridpuzzles_gym.text.adapters.nemo_gym_server import ConversationServer

if __name__ == "__main__":
    ConversationServer.run_webserver()
