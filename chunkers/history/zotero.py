"""Zotero's library (zotero.sqlite): what is kept there with an address, under its tags and collections."""

from .database import JOINT, Columns, Schema
from .times import from_1970

_COLUMNS = {
    "items": "itemID dateAdded",
    "itemAttachments": "itemID parentItemID",
    "itemData": "itemID fieldID valueID",
    "itemDataValues": "valueID value",
    "fields": "fieldID fieldName",
    "itemTags": "itemID tagID",
    "tags": "tagID name",
    "collectionItems": "collectionID itemID",
    "collections": "collectionID collectionName",
}
# A snapshot is an item of its own: title, tags and collection are those of the item that it is of.
_TITLE = (
    "SELECT v.value FROM itemData AS x JOIN fields AS g ON g.fieldID = x.fieldID AND g.fieldName = 'title'"
    " JOIN itemDataValues AS v ON v.valueID = x.valueID WHERE x.itemID = coalesce(a.parentItemID, i.itemID)"
)
_COLLECTION = (
    "SELECT collectionName FROM collectionItems AS m JOIN collections AS c ON c.collectionID = m.collectionID"
    " WHERE m.itemID = coalesce(a.parentItemID, i.itemID) ORDER BY c.collectionID LIMIT 1"
)
_TAGS = (
    f"SELECT group_concat(t.name, '{JOINT}') FROM itemTags AS k JOIN tags AS t ON t.tagID = k.tagID"
    " WHERE k.itemID IN (i.itemID, a.parentItemID)"
)


def _kept(columns: Columns) -> str:
    bin_ = " WHERE i.itemID NOT IN (SELECT itemID FROM deletedItems)" if "deletedItems" in columns else ""
    return (
        f"SELECT u.value, ({_TITLE}), strftime('%s', i.dateAdded), ({_COLLECTION}), ({_TAGS})"
        " FROM itemData AS d JOIN fields AS f ON f.fieldID = d.fieldID AND f.fieldName = 'url'"
        " JOIN itemDataValues AS u ON u.valueID = d.valueID JOIN items AS i ON i.itemID = d.itemID"
        f" LEFT JOIN itemAttachments AS a ON a.itemID = i.itemID{bin_} ORDER BY i.itemID"
    )


ZOTERO = Schema(
    name="Zotero",
    browser="zotero",
    needs={table: frozenset(names.split()) for table, names in _COLUMNS.items()},
    mark=b"itemAttachments",
    clock=from_1970,
    counted="items",
    visits=lambda _: (),
    bookmarks=_kept,
)
