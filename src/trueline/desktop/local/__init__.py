"""The local desktop: a real one in a sandbox of kernel namespaces, no virtual machine, no root."""
