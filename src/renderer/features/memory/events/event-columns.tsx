import clsx from 'clsx'
import type { TFunction } from 'i18next'
import type { Formats } from '../../../format'
import { fieldOf, textOf } from '../../resources/lookup'
import type { Json } from '../../resources/resource'
import type { LongColumn } from '../long-table/long-table'
import styles from '../memory.module.css'
import { contentOf, roleNames, timeNames } from '../names'

/** Colours of who spoke, by the words that are usual; others have none. */
const hues: Readonly<Record<string, string | undefined>> = {
  user: styles.hueUser,
  human: styles.hueUser,
  assistant: styles.hueAssistant,
  agent: styles.hueAssistant,
  ai: styles.hueAssistant,
  tool: styles.hueTool,
  system: styles.hueSystem,
}

/** When an event was, as the window writes it; as it came when it is no moment. */
export function timeOf(row: Json, { dateTime }: Pick<Formats, 'dateTime'>): string {
  const value = fieldOf(row, timeNames)
  if (typeof value === 'number' || (typeof value === 'string' && !Number.isNaN(Date.parse(value)))) {
    const date = new Date(value)
    return Number.isNaN(date.getTime()) ? textOf(value) : dateTime(date.toISOString())
  }
  return textOf(value)
}

function Role({ row }: { readonly row: Json }) {
  const role = textOf(fieldOf(row, roleNames))
  return (
    <span className={styles.role}>
      <span className={clsx(styles.dot, hues[role.toLowerCase()])} aria-hidden="true" />
      <span>{role === '' ? '–' : role}</span>
    </span>
  )
}

/** The columns of a timeline: when, who, what. */
export const eventColumns = (
  t: TFunction<'memory'>,
  formats: Formats,
  onOpen: (row: Json) => void,
): readonly LongColumn[] => [
  {
    id: 'time',
    header: t('fields.time'),
    width: '208px',
    cell: (row) => <span className={styles.time}>{timeOf(row, formats)}</span>,
  },
  { id: 'role', header: t('fields.role'), width: '110px', cell: (row) => <Role row={row} /> },
  {
    id: 'content',
    header: t('fields.content'),
    width: 'minmax(200px, 1fr)',
    cell: (row, tabIndex) => (
      <button type="button" className={styles.open} tabIndex={tabIndex} onClick={() => onOpen(row)}>
        {contentOf(row)}
      </button>
    ),
  },
]
