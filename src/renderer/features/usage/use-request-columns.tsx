import type { UsageRequest } from '@shared/contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import type { VirtualColumn } from '../../ui/virtual-table-columns'
import { AtCell, ModelCell, PartsCell, StatusCell, TextCell, TokensCell } from './request-cells'
import { useModelColour } from './use-hues'

type Column = VirtualColumn<UsageRequest>

/** The columns of the table of requests; the least needed ones give way in a narrow window. */
export function useRequestColumns(): readonly Column[] {
  const { t } = useTranslation('usage')
  const formats = useFormats()
  const colourOf = useModelColour()
  return useMemo((): readonly Column[] => {
    const time = (ms: number | undefined) => <TextCell text={ms === undefined ? undefined : formats.duration(ms)} />
    const columns = [
      { id: 'at', width: '144px', cell: (request) => <AtCell request={request} formats={formats} /> },
      { id: 'status', width: 'minmax(150px, 1.4fr)', cell: (request) => <StatusCell request={request} /> },
      {
        id: 'model',
        width: 'minmax(112px, 1.3fr)',
        cell: ({ modelCode }) => <ModelCell code={modelCode} colour={colourOf(modelCode)} />,
      },
      {
        id: 'tool',
        width: 'minmax(100px, 1fr)',
        cell: ({ toolName, toolId }) => <TextCell text={toolName ?? toolId} />,
      },
      { id: 'key', width: 'minmax(92px, 1fr)', from: 860, cell: ({ keyName }) => <TextCell text={keyName} /> },
      { id: 'plan', width: 'minmax(84px, 1fr)', from: 1165, cell: ({ planName }) => <TextCell text={planName} /> },
      {
        id: 'source',
        width: '88px',
        from: 1080,
        cell: ({ source }) => <TextCell text={t(`requests.sources.${source}`)} />,
      },
      {
        id: 'tokens',
        width: '84px',
        align: 'right',
        cell: (request) => <TokensCell request={request} formats={formats} />,
      },
      {
        id: 'detail',
        width: '132px',
        align: 'right',
        from: 988,
        cell: (request) => <PartsCell request={request} formats={formats} />,
      },
      {
        id: 'firstByte',
        width: '76px',
        align: 'right',
        from: 770,
        cell: ({ firstByteMs }) => time(firstByteMs),
      },
      { id: 'duration', width: '98px', align: 'right', cell: ({ durationMs }) => time(durationMs) },
    ] as const satisfies readonly Omit<Column, 'header'>[]
    return columns.map((column) => ({ ...column, header: t(`requests.columns.${column.id}`) }))
  }, [formats, t, colourOf])
}
