"""Reading whole sources, beside the claims."""

from __future__ import annotations

from app.catalogue.schema import Source
from app.claims.queries import Claims


class Catalogue(Claims):
    """The read side that pages and API share: claims, and the sources that they stand in."""

    def source(self, source_id: str) -> Source:
        """A source as its file states it. Raises NotFoundError with near ids."""
        return Source.model_validate_json(self.source_document(source_id))
