"""Slugs: titles as short names, in any script."""

import pytest
from hypothesis import given, strategies as st

from tacit.text.slug import MOST_CHARS, slug_of


@pytest.mark.parametrize(
    ("title", "slug"),
    [("Deploy staging", "deploy-staging"), ("Été à Zürich", "ete-a-zurich"), ("Ελλάδα ώρα", "ελλαδα-ωρα"),
     ("日本語 デプロイ", "日本語-デプロイ"), ("배포 하기", "배포-하기"), ("snake_case/path", "snake-case-path"),
     ("🚀", "procedure"), ("", "procedure")],
)  # fmt: skip
def test_a_title_becomes_a_name_that_can_be_typed(title, slug):
    """Accents go where a letter is read without them; what makes another letter of one stays."""
    assert slug == slug_of(title)


@given(st.text(max_size=200))
def test_a_slug_of_a_slug_is_the_slug(title):
    """So that a file can bring its own back; and it is never long or empty."""
    slug = slug_of(title)

    assert slug == slug_of(slug)
    assert 0 < len(slug) <= MOST_CHARS
