"""Drawing: from one state to one frame; knows no physics."""
