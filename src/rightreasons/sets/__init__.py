"""The challenge sets: each part takes its options when it is made, and has one method, `plan`."""
