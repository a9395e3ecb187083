import { FolderTree } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { recordModes } from '../../../paths'
import { Button } from '../../../ui/button'
import { TextInput } from '../../../ui/field'
import { EmptyState, Toolbar } from '../../../ui/page'
import { SegmentedControl } from '../../../ui/radio-cards'
import { useAddressQuery } from '../../../window-state'
import { GenerateForm } from './generate-form'
import { namespacePrefix, type OpenMemory, useSeenNamespaces } from './names'
import { RecordList } from './record-list'
import { SearchPage } from './search-page'
import { growingClass, useStrategies } from './tab-parts'

const maxSuggestions = 8

export function RecordsTab({ memoryId }: OpenMemory) {
  const { t } = useTranslation('memory')
  const [query, changeQuery] = useAddressQuery()
  const mode = recordModes.find((candidate) => candidate === query.get('mode')) ?? 'browse'
  const namespace = query.get('namespace') ?? ''
  const namespaces = useNamespaces(memoryId)
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

/** Namespaces to suggest: those that the user typed, and those seen in records and strategies. */
function useNamespaces(memoryId: string): readonly string[] {
  const strategies = useStrategies(memoryId)
  const [seenNamespaces] = useSeenNamespaces(memoryId)
  const knownNamespaces = strategies.flatMap((strategy) => namespacePrefix(strategy) ?? [])
  return [...new Set([...knownNamespaces, rootNamespace, ...seenNamespaces])]
}
