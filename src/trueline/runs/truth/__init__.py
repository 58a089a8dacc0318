"""What a proposal leads to: recorded proposals run again on a fresh desktop, labelled by what they leave behind."""
