"""What Tapeless tells about itself: the state of the installation, plain tables."""
