import type { TFunction } from 'i18next'
import { FieldValue } from '../../resources/field-value'
import { fieldOf } from '../../resources/lookup'
import type { Json } from '../../resources/resource'
import type { LongColumn } from '../long-table/long-table'
import styles from '../memory.module.css'
import { contentOf, createdColumn, namespaceNames, sessionOf } from '../names'

/** The columns of records: what they say, where they lie, which session they come from, when they were made. */
export const recordColumns = (t: TFunction<'memory'>, onOpen: (row: Json) => void): readonly LongColumn[] => [
  {
    id: 'content',
    header: t('fields.content'),
    width: 'minmax(220px, 2.4fr)',
    cell: (row, tabIndex) => (
      <button type="button" className={styles.open} tabIndex={tabIndex} onClick={() => onOpen(row)}>
        {contentOf(row)}
      </button>
    ),
  },
  {
    id: 'namespace',
    header: t('fields.namespace'),
    width: 'minmax(120px, 1fr)',
    from: 860,
    cell: (row) => (
      <span className={styles.cell}>
        <FieldValue value={fieldOf(row, namespaceNames)} />
      </span>
    ),
  },
  {
    id: 'session',
    header: t('fields.session'),
    width: 'minmax(110px, 0.8fr)',
    from: 620,
    cell: (row) => (
      <span className={styles.cell}>
        <FieldValue value={sessionOf(row)?.sessionId} />
      </span>
    ),
  },
  {
    id: 'created',
    header: t('fields.created'),
    width: '120px',
    from: 520,
    cell: (row) => <FieldValue value={fieldOf(row, createdColumn.names)} format="date" />,
  },
]
