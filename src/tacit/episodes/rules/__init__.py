"""Pure decisions about episodes: reward, quality, reflection, patterns."""
