"""The parts that several screens draw: boards, thoughts, themes and sounds."""
