"""Accuracy, selection, agreement, diversity and their intervals."""
