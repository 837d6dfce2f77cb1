#!/usr/bin/env python3
"""Weigh hives.

Reads one file.
"""

import sys


def weigh(hive):
    return 3
