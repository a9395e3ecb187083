import { useQuery } from '@tanstack/react-query'
import { FileSearch, FolderTree } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { CallError, call } from '../../../ipc'
import { recordModes } from '../../../paths'
import { useExportAction } from '../../../toast-actions'
import { Button, renderActions } from '../../../ui/button'
import { TextInput } from '../../../ui/field'
import { EmptyState, SelectionBar, Toolbar } from '../../../ui/page'
import { SegmentedControl } from '../../../ui/radio-cards'
import { Hint } from '../../../ui/text'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import { useAddressQuery } from '../../../window-state'
import {
  createdColumn,
  FieldValue,
  type Json,
  ListToolbar,
  LoadedResource,
  readField,
  rowMatcher,
  useListPosition,
  useService,
} from '../resources'
import { GenerateForm } from './generate-form'
import {
  type KeyedRow,
  keyRows,
  listNamespaces,
  namespaceNames,
  namespacePrefix,
  type OpenMemory,
  readSession,
  useSeenNamespaces,
} from './names'
import { SearchPage } from './search-page'
import {
  buildRecordsRequest,
  contentCell,
  ExportMenu,
  growingClass,
  maxRows,
  NoRows,
  RecordSheet,
  useStrategies,
} from './tab-parts'

const maxSuggestions = 8

export function RecordsTab({ memoryId }: OpenMemory) {
  const { t } = useTranslation('memory')
  const [query, changeQuery] = useAddressQuery()
  const mode = recordModes.find((candidate) => candidate === query.get('mode')) ?? 'browse'
  const namespace = query.get('namespace') ?? ''
  const [seenNamespaces] = useSeenNamespaces(memoryId)
  const knownNamespaces = useStrategies(memoryId).flatMap((strategy) => namespacePrefix(strategy) ?? [])
  const namespaces = [...new Set([...knownNamespaces, rootNamespace, ...seenNamespaces])]
  const chooseNamespace = (chosen: string): void => changeQuery({ namespace: chosen })
  return (
    <div className="flex flex-col gap-3">
      <Toolbar>
        <SegmentedControl
          label={t('modes.label')}
          value={mode}
          onValueChange={(value) => changeQuery({ mode: value === 'browse' ? undefined : value })}
          segments={recordModes.map((value) => ({ value, label: t(`modes.${value}`) }))}
        />
        {mode === 'generate' ? null : (
          <NamespaceBar key={namespace} namespace={namespace} namespaces={namespaces} onChoose={chooseNamespace} />
        )}
      </Toolbar>
      {mode === 'generate' ? (
        <GenerateForm memoryId={memoryId} />
      ) : namespace === '' ? (
        <EmptyState
          icon={FolderTree}
          title={t('namespace.choose')}
          actions={
            <div className="flex max-w-160 flex-wrap justify-center gap-2">
              {namespaces.slice(0, maxSuggestions).map((namespace) => (
                <Button key={namespace} size="sm" className="max-w-full" onClick={() => chooseNamespace(namespace)}>
                  <span className="truncate font-mono text-sm leading-5.5">{namespace}</span>
                </Button>
              ))}
            </div>
          }
        >
          {t('namespace.chooseText')}
        </EmptyState>
      ) : mode === 'search' ? (
        <SearchPage key={namespace} {...{ memoryId, namespace }} />
      ) : (
        <RecordList key={namespace} {...{ memoryId, namespace }} />
      )}
    </div>
  )
}

function NamespaceBar(props: {
  readonly namespace: string
  readonly namespaces: readonly string[]
  readonly onChoose: (namespace: string) => void
}) {
  const { namespace, namespaces, onChoose } = props
  const { t } = useTranslation('memory')
  const [typed, setTyped] = useState(namespace)
  return (
    <form
      className="flex min-w-0 grow basis-80 gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(typed.trim())
      }}
    >
      <TextInput
        mono
        className={growingClass}
        suggestions={namespaces}
        aria-label={t('fields.namespace')}
        placeholder={t('namespace.placeholder')}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit" disabled={typed.trim() === ''}>
        {t('namespace.show')}
      </Button>
    </form>
  )
}

/** Namespace prefix that matches all records, if namespaces are paths. The spec does not define this. */
const rootNamespace = '/'

/** Numbers of records to request, largest first. The spec defines no maximum, and a service may reject large numbers. */
const limits = [maxRows, 1000, 100] as const

const refusals = ['api.badRequest', 'input.invalid', 'api.refused', 'api.tooLarge']

function RecordList({ memoryId, namespace }: OpenMemory & { readonly namespace: string }) {
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
