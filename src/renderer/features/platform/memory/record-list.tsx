import { useQuery } from '@tanstack/react-query'
import { FileSearch } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { CallError, call } from '../../../ipc'
import { useExportAction } from '../../../toast-actions'
import { renderActions } from '../../../ui/button'
import { SelectionBar } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import type { Json } from '../resources'
import {
  createdColumn,
  FieldValue,
  ListToolbar,
  LoadedResource,
  readField,
  rowMatcher,
  useListPosition,
  useService,
} from '../resources'
import {
  type KeyedRow,
  keyRows,
  listNamespaces,
  namespaceNames,
  type OpenMemory,
  readSession,
  useSeenNamespaces,
} from './names'
import { buildRecordsRequest, contentCell, ExportMenu, maxRows, NoRows, RecordSheet } from './tab-parts'

/**
 * Numbers of records to request, largest first. The spec defines no maximum, and a service may reject large numbers.
 */
const limits = [maxRows, 1000, 100] as const

const refusals = ['api.badRequest', 'input.invalid', 'api.refused', 'api.tooLarge']

export function RecordList({ memoryId, namespace }: OpenMemory & { readonly namespace: string }) {
  const connectionId = useService().connection.id
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const { place, change } = useListPosition('memory-records')
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const [openedRecord, setOpenedRecord] = useState<Json>()
  const [, noteNamespaces] = useSeenNamespaces(memoryId)
  const query = useQuery({
    queryKey: ['resources.rows', connectionId, memoryId, namespace],
    queryFn: async () => {
      for (const limit of limits) {
        try {
          const { rows } = await call('resources.rows', buildRecordsRequest(connectionId, memoryId, namespace, limit))
          return { rows: keyRows(rows), limit }
        } catch (error) {
          const isLimitRejected = error instanceof CallError && refusals.includes(error.failure.code)
          if (!isLimitRejected || limit === limits.at(-1)) throw error
        }
      }
      throw new Error('There are no page limits to try.')
    },
    refetchOnWindowFocus: false,
    throwOnError: (_: CallError) => false,
  })
  const { data } = query
  useEffect(() => {
    if (data) noteNamespaces([namespace, ...data.rows.flatMap(({ row }) => listNamespaces(row))])
  }, [data, namespace, noteNamespaces])
  const columns = useMemo(
    (): readonly VirtualColumn<KeyedRow>[] => [
      { id: 'content', header: t('fields.content'), width: 'minmax(220px, 2.4fr)', cell: contentCell(setOpenedRecord) },
      {
        id: 'namespace',
        header: t('fields.namespace'),
        width: 'minmax(120px, 1fr)',
        from: 860,
        cell: ({ row }) => mutedValue(readField(row, namespaceNames)),
      },
      {
        id: 'session',
        header: t('fields.session'),
        width: 'minmax(110px, 0.8fr)',
        from: 620,
        cell: ({ row }) => mutedValue(readSession(row)?.sessionId),
      },
      {
        id: 'created',
        header: t('fields.created'),
        width: '120px',
        from: 520,
        cell: ({ row }) => <FieldValue value={readField(row, createdColumn.names)} format="date" />,
      },
    ],
    [t],
  )
  const records = data?.rows ?? []
  const matches = rowMatcher(place.find)
  const matchingRecords = records.filter(({ row }) => matches(row))
  const selectedRecords = records.filter(({ key }) => keys.has(key))
  return (
    <div className="flex flex-col gap-3">
      {selectedRecords.length > 0 ? (
        <SelectedRecordsBar rows={selectedRecords.map(({ row }) => row)} onClear={() => setKeys(new Set())} />
      ) : null}
      <ListToolbar
        place={place}
        onChange={change}
        findLabel={t('records.find')}
        query={query}
        call={buildRecordsRequest(connectionId, memoryId, namespace, data?.limit ?? maxRows)}
        shown={matchingRecords.length}
        count={records.length}
      >
        {matchingRecords.length > 0 ? (
          <ExportMenu name={exportName} rows={matchingRecords.map(({ row }) => row)} />
        ) : null}
      </ListToolbar>
      <LoadedResource query={query}>
        {() =>
          matchingRecords.length > 0 ? (
            <VirtualTable
              label={t('records.title')}
              columns={columns}
              rows={matchingRecords}
              rowKey={({ key }) => key}
              rowHeight={38}
              onOpen={({ row }) => setOpenedRecord(row)}
              selection={{
                keys,
                onChange: setKeys,
                canSelect: () => true,
                getLabel: ({ row }) =>
                  t('records.select', { at: records.findIndex((record) => record.row === row) + 1 }),
                allLabel: t('records.selectAll'),
              }}
            />
          ) : (
            <NoRows list="records" icon={FileSearch} find={records.length > 0 ? place.find : ''} />
          )
        }
      </LoadedResource>
      {data && records.length > 0 ? (
        <Hint className="tabular-nums">
          {records.length < data.limit
            ? t('records.loaded', { count: records.length, shown: number(records.length) })
            : t('records.maybeMore', { count: number(records.length) })}
        </Hint>
      ) : null}
      {openedRecord !== undefined ? (
        <RecordSheet memoryId={memoryId} record={openedRecord} onClose={() => setOpenedRecord(undefined)} />
      ) : null}
    </div>
  )
}

const exportName = 'memory-records'

const mutedValue = (value: Json | undefined) => (
  <span className="block truncate text-muted text-sm">
    <FieldValue value={value} />
  </span>
)

function SelectedRecordsBar({ rows, onClear }: { readonly rows: readonly Json[]; readonly onClear: () => void }) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const exportAction = useExportAction('resources.export', () => t('export.done'))
  const label = t('records.selected', { count: rows.length, shown: number(rows.length) })
  return (
    <SelectionBar label={label} count={label}>
      {renderActions(
        [
          ...(['json', 'csv'] as const).map((format) => ({
            label: t(`export.${format}`),
            busy: exportAction.isPending,
            onClick: () => exportAction.mutate({ name: exportName, format, rows: [...rows] }),
          })),
          { label: t('records.clear'), variant: 'ghost' as const, onClick: onClear },
        ],
        'sm',
      )}
    </SelectionBar>
  )
}
