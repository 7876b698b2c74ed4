/** The catalog for commands: they rebuild it, and ask it. */
export { type CatalogOptions, type CatalogSize, reindex } from '../../catalog/catalog.ts';
