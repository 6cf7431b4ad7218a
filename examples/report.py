# SPDX-License-Identifier: MIT
"""The program that README.md profiles: sales by shop, as JSON."""
import collections
import json
import random
import re


def sales(n):
    for i in range(n):
        yield {'day': i % 365, 'shop': 'shop %d' % random.randrange(50), 'sum': i * 7919 % 1009}


def masked(text):
    return re.sub('shop ([0-9]+)', lambda found: found.group(1).zfill(3), text)


def report(n):
    by_shop = collections.defaultdict(list)
    for sale in sales(n):
        by_shop[masked(sale['shop'])].append(sale)
    for shop in sorted(by_shop):
        by_shop[shop].sort(key=lambda sale: -sale['sum'])
    return json.dumps(by_shop)


print(len(report(300000)))
