import type { SubscriptionKeyView } from '@shared/contract'
import type { TFunction } from 'i18next'
import { Copy, Ellipsis, RotateCw } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { type Formats, useFormats } from '../../format'
import { useNowAt } from '../../relative-time'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { useSharedMenu } from '../../ui/menu'
import { RowButton } from '../../ui/row-button'
import { Stack } from '../../ui/rows'
import { VirtualTable } from '../../ui/virtual-table'
import type { Selection, VirtualColumn } from '../../ui/virtual-table-columns'
import { useNameOfTool } from '../account'
import styles from './keys.module.css'
import type { KeyActions } from './use-key-actions'

type Key = SubscriptionKeyView

/** What the cells of all rows share. */
interface Around {
  readonly t: TFunction<'keys'>
  readonly tRotation: TFunction<'rotation'>
  readonly formats: Formats
  readonly now: Date
  readonly nameOfTool: (id: string) => string
  readonly actions: KeyActions
  /** Nothing can be done with the keys yet. */
  readonly isMasked: boolean
  readonly onMenu: (button: HTMLElement, of: Key) => void
}

interface CellProps {
  readonly of: Key
  readonly around: Around
}

const keptTones: Record<NonNullable<Key['kept']>, Tone> = {
  keychain: 'success',
  session: 'warning',
  missing: 'danger',
}

function KeptCell({ of, around, tabIndex }: CellProps & { readonly tabIndex: number }) {
  const { t, actions, isMasked } = around
  if (isMasked) return <span className={styles.faint}>{t('kept.none')}</span>
  const state = of.kept ? <StatusDot tone={keptTones[of.kept]} label={t(`kept.${of.kept}`)} /> : null
  if (of.kept === 'keychain' || of.kept === 'session') return state
  return (
    <span className={styles.kept}>
      {state}
      <Button
        size="sm"
        tabIndex={tabIndex}
        busy={actions.keeping === of.keyId}
        title={t('keptHint')}
        onClick={() => actions.keep(of)}
      >
        {t('keepShort')}
        <span className="sr-only"> {of.name}</span>
      </Button>
    </span>
  )
}

function UsedByCell({ of, around: { t, nameOfTool } }: CellProps) {
  const names = of.usedBy.map(nameOfTool).join(', ')
  return names === '' ? <span className={styles.faint}>{t('unused')}</span> : <span title={names}>{names}</span>
}

function CreatedCell({ of: { createdAt }, around: { formats, now } }: CellProps) {
  const { short, exact } = formats.relative(createdAt, now)
  return (
    <time dateTime={createdAt} title={exact}>
      {short}
    </time>
  )
}

function ActionsCell({ of, around, tabIndex }: CellProps & { readonly tabIndex: number }) {
  const { t, tRotation, actions, isMasked, onMenu } = around
  if (isMasked) return null
  const here = actions.hereOf(of)
  return (
    <>
      {here ? (
        <RowButton
          icon={RotateCw}
          tabIndex={tabIndex}
          label={tRotation('rotateNamed', { key: of.name })}
          onPress={() => actions.rotate(here)}
        />
      ) : null}
      <RowButton
        icon={Copy}
        tabIndex={tabIndex}
        label={t('copy', { name: of.name })}
        onPress={() => actions.copy(of)}
      />
      <RowButton
        icon={Ellipsis}
        hasMenu
        tabIndex={tabIndex}
        label={t('menu', { name: of.name })}
        onPress={(button) => onMenu(button, of)}
      />
    </>
  )
}

const widths = {
  name: 'minmax(150px, 1fr)',
  status: '106px',
  created: '124px',
  kept: 'minmax(170px, 190px)',
  usedBy: 'minmax(100px, 0.6fr)',
  actions: '112px',
} as const

function columnsOf(around: Around): readonly VirtualColumn<Key>[] {
  const { t } = around
  const column = (id: keyof typeof widths) => ({ id, header: t(`columns.${id}`), width: widths[id] })
  return [
    {
      ...column('name'),
      cell: ({ name, masked }) => (
        <Stack>
          <span className={styles.name} title={name}>
            {name}
          </span>
          <code className={styles.quiet}>{masked}</code>
        </Stack>
      ),
    },
    {
      ...column('status'),
      cell: ({ status }) => (
        <StatusDot tone={status === 'ACTIVE' ? 'success' : 'neutral'} label={t(`statuses.${status}`)} />
      ),
    },
    { ...column('created'), from: 780, cell: (of) => <CreatedCell of={of} around={around} /> },
    { ...column('kept'), cell: (of, tabIndex) => <KeptCell of={of} around={around} tabIndex={tabIndex} /> },
    { ...column('usedBy'), cell: (of) => <UsedByCell of={of} around={around} /> },
    {
      ...column('actions'),
      headerHidden: true,
      align: 'right',
      cell: (of, tabIndex) => <ActionsCell of={of} around={around} tabIndex={tabIndex} />,
    },
  ]
}

const keyOf = ({ keyId }: Key): string => keyId

/** One row for each key: what it is called, whether it works, where it is kept, and which tools here use it. `isMasked`: nothing can be done yet. */
export function KeysTable({
  keys,
  actions,
  isMasked,
  selection,
}: {
  readonly keys: readonly Key[]
  readonly actions: KeyActions
  readonly isMasked: boolean
  readonly selection: Selection<Key> | undefined
}) {
  const { t } = useTranslation('keys')
  const { t: tRotation } = useTranslation('rotation')
  const formats = useFormats()
  const nowAt = useNowAt()
  const nameOfTool = useNameOfTool()
  const { open, menu } = useSharedMenu()
  const columns = useMemo(() => {
    const onMenu = (button: HTMLElement, of: Key): void => open(button, actions.menuOf(of))
    return columnsOf({ t, tRotation, formats, now: nowAt(), nameOfTool, actions, isMasked, onMenu })
  }, [t, tRotation, formats, nowAt, nameOfTool, actions, isMasked, open])
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={columns}
        rows={keys}
        rowKey={keyOf}
        rowHeight={54}
        selection={selection}
      />
      {menu}
    </>
  )
}
