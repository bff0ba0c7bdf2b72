"""x"""
ATTACKS=()
BENIGN=()
