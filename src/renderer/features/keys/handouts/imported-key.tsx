import type { ImportedKeyView, KeySwitchResult } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatList, useFormats } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { QuietCode } from '../../../ui/code'
import { ConfirmButton } from '../../../ui/dialog'
import { Card, Section } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import { FileChanges, setupKey } from '../../tools'

const changedDomains = ['handouts', 'tools', 'plans', 'profiles', 'relay', 'register', 'audit'] as const

function useImportedKey({ planId, keyId }: ImportedKeyView) {
  const key = { planId, keyId }
  const [results, setResults] = useState<readonly KeySwitchResult[]>([])
  const switching = useAction('handouts.switchTools', {
    invalidates: changedDomains,
    onSuccess: (answer) => setResults(answer.results),
  })
  return { key, results, switching, switchTools: () => switching.mutate(key) }
}

interface SwitchToolsProps {
  readonly imported: ImportedKeyView
  readonly state: ReturnType<typeof useImportedKey>
}

function useNames(): (list: readonly { readonly toolName: string }[]) => string {
  const { locale } = useFormats()
  return (list) => formatList([...new Set(list.map(({ toolName }) => toolName))], locale)
}

function SwitchTools({ imported, state }: SwitchToolsProps) {
  const { t } = useTranslation('handouts', { keyPrefix: 'imported' })
  const getNames = useNames()
  const skipSwitch = useAction('handouts.skipSwitch', { invalidates: ['handouts'] })
  const { tools, oldKeyNames, keyName, hasFailed } = imported
  const previews = useCall('handouts.previewSwitch', state.key, { staleTime: 0, enabled: tools.length > 0 })
  const failedResults = state.results.filter(({ failure }) => failure)
  const names = getNames(tools.length > 0 ? tools : failedResults)
  const { locale } = useFormats()
  const oldKeys = formatList(oldKeyNames, locale)
  return (
    <Section
      title={tools.length > 0 ? t('switch', { names }) : t('testFailed')}
      description={tools.length > 0 ? t('switchText', { names, oldKeys }) : t('testFailedText', { key: keyName })}
    >
      {tools.length > 0 ? (
        <Loaded query={previews} rows={3}>
          {(list) => (
            <div className="flex flex-col gap-3">
              {list.map(({ toolId, toolName, site, change, failure }) => (
                <div key={setupKey(toolId, site)} className="flex flex-col gap-2">
                  <h3 className="font-semibold">{toolName}</h3>
                  {change ? <FileChanges files={change.files} /> : null}
                  <ExplainedFailure failure={failure} />
                  {change || failure ? null : <Hint>{t('byRoute')}</Hint>}
                </div>
              ))}
            </div>
          )}
        </Loaded>
      ) : null}
      {failedResults.map(({ toolId, toolName, site, failure }) =>
        failure ? (
          <Callout key={setupKey(toolId, site)} tone="danger" title={t('notSwitched', { tool: toolName })}>
            {failure.message}
          </Callout>
        ) : null,
      )}
      <ExplainedFailure failure={state.switching.error?.failure} handlers={{ tryAgain: state.switchTools }} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="flex-1 text-muted text-sm">{t('codeLater')}</p>
        <ConfirmButton
          label={t('skip')}
          title={t('skipTitle', { names })}
          description={t('skipText', { names, oldKeys })}
          confirmLabel={t('skipConfirm')}
          busy={skipSwitch.isPending}
          onConfirm={(close) => skipSwitch.mutate(state.key, { onSuccess: close })}
        >
          <ExplainedFailure failure={skipSwitch.error?.failure} />
        </ConfirmButton>
        <Button variant="primary" autoFocus busy={state.switching.isPending} onClick={state.switchTools}>
          {hasFailed && tools.length === 0 ? t('testAgain') : t('apply')}
        </Button>
      </div>
    </Section>
  )
}

/** Show the confirmation code only after the tools were switched to the key. */
export function ImportedKey({ imported }: { readonly imported: ImportedKeyView }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'imported' })
  const state = useImportedKey(imported)
  const markCodeSent = useAction('handouts.markCodeSent', { invalidates: ['handouts'] })
  const getNames = useNames()
  const { locale } = useFormats()
  const { code, tools, from, keyName, oldKeyNames } = imported
  if (code === undefined) return <SwitchTools imported={imported} state={state} />
  const switchedResults = state.results.filter((result) => result.state === 'verified')
  return (
    <>
      {switchedResults.length > 0 ? (
        <Callout tone="success" title={t('switched', { names: getNames(switchedResults), key: keyName })} />
      ) : null}
      {tools.length > 0 ? (
        <Callout
          tone="warning"
          title={t('stops', { names: getNames(tools), oldKeys: formatList(oldKeyNames, locale) })}
          actions={[{ label: t('apply'), busy: state.switching.isPending, onClick: state.switchTools }]}
        >
          {state.switching.error ? <ExplainedFailure failure={state.switching.error.failure} /> : null}
        </Callout>
      ) : null}
      <Section title={t('code')} description={t('codeText', { from, key: keyName })}>
        <Card>
          <div className="flex select-text flex-wrap items-center gap-2 [&>code]:min-w-0 [&>code]:flex-1">
            <QuietCode wrap>{code}</QuietCode>
            <CopyText text={code} label={t('copyCode')} size="md" />
            <Button busy={markCodeSent.isPending} onClick={() => markCodeSent.mutate(state.key)}>
              {t('markSent')}
            </Button>
          </div>
        </Card>
      </Section>
    </>
  )
}

export function ImportedKeys({ planId }: { readonly planId: string }) {
  const { data: imported = [] } = useCall('handouts.imported', {})
  return imported
    .filter((importedKey) => importedKey.planId === planId)
    .map((importedKey) => <ImportedKey key={importedKey.keyId} imported={importedKey} />)
}
