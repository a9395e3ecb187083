import { History } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { Table } from '../../ui/table'
import type { WantedChange } from './change-dialog'

/** Every change of MCP servers and status lines, the newest first; each can be gone back before. */
export function ChangeList({ onChange }: { readonly onChange: (wanted: WantedChange) => void }) {
  const { t } = useTranslation('mcp', { keyPrefix: 'history' })
  const query = useCall('mcp.history', {})
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={6} />}>
      {(entries) =>
        entries.length === 0 ? (
          <EmptyState icon={History} title={t('empty')}>
            {t('emptyText')}
          </EmptyState>
        ) : (
          <Table
            caption={t('caption')}
            rows={entries}
            rowKey={({ id }) => id}
            columns={[
              { id: 'at', header: t('at'), width: '150px', cell: ({ at }) => <RelativeTime at={at} /> },
              {
                id: 'tool',
                header: t('tool'),
                cell: ({ changes }) => changes.map(({ toolName }) => toolName).join(', '),
              },
              {
                id: 'server',
                header: t('server'),
                cell: ({ changes }) => [...new Set(changes.map(({ server = t('statusLine') }) => server))].join(', '),
              },
              {
                id: 'kind',
                header: t('kind'),
                width: '130px',
                cell: ({ isUndone, changes: [first] }) => t(`kinds.${isUndone ? 'undone' : (first?.kind ?? 'write')}`),
              },
              {
                id: 'actions',
                header: t('actions'),
                headerHidden: true,
                align: 'right',
                width: '130px',
                cell: ({ id: entryId, isUndone, changes }) =>
                  isUndone ? null : (
                    <Button
                      size="sm"
                      variant="ghost"
                      aria-label={t('undoOf', { server: changes[0]?.server ?? t('statusLine') })}
                      onClick={() =>
                        onChange({ change: { what: 'rewind', entryId }, name: changes[0]?.toolName ?? '' })
                      }
                    >
                      {t('undo')}
                    </Button>
                  ),
              },
            ]}
          />
        )
      }
    </Loaded>
  )
}
