import type { ImportedKeyView, KeyFileContent, KeySwitchResult } from '@shared/contract'
import type { ChosenKeyFile } from '@shared/contract/register'
import { useMutation } from '@tanstack/react-query'
import { ClipboardPaste, FileLock, PackageOpen, Wrench } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatList, useFormats } from '../../../format'
import { type CallError, call, useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { planPath } from '../../../paths'
import { RelativeTime, useNow } from '../../../relative-time'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Code, QuietCode } from '../../../ui/code'
import { ConfirmButton } from '../../../ui/dialog'
import { FieldGroup, TextField } from '../../../ui/field'
import { Card, EmptyState, FactsCard, Page, PageHeader, Section } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import { useToolNames } from '../../connections/account'
import { FileChanges, setUpPath, setupKey } from '../../tools'
import { useHandoutsStore } from './handout-fields'

function OpenKeyFileStep({ state }: { readonly state: OpenKeyFile }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const { kit, content, accepted, opening, choosing, choose } = state
  if (accepted) return <SavedKeyView imported={accepted} />
  if (content) return <OpenedKeyFile content={content} state={state} />
  return kit ? (
    <>
      <Card>
        <div className="flex flex-col gap-4">
          <div className="flex items-center gap-2.5 [&>code]:min-w-0 [&>code]:flex-1 [&>svg]:text-muted">
            <FileLock size={18} strokeWidth={1.7} aria-hidden="true" />
            <QuietCode wrap>{kit.path}</QuietCode>
            <Button size="sm" busy={choosing.isPending} onClick={choose}>
              {t('chooseOther')}
            </Button>
          </div>
          {kit.needs === 'passphrase' ? (
            <PassphraseForm key={kit.kitId} state={state} />
          ) : kit.needs === 'anotherKey' ? (
            <Callout tone="warning" title={t('foreign')}>
              {t('foreignText')}
            </Callout>
          ) : (
            <div className="flex flex-wrap items-center justify-end gap-2">
              <p className="flex-1 text-muted text-sm">{t('mine')}</p>
              <Button variant="primary" autoFocus busy={state.opening.isPending} onClick={() => state.open(false)}>
                {t('open')}
              </Button>
            </div>
          )}
        </div>
      </Card>
      <ExplainedFailure
        failure={opening.error?.failure}
        handlers={{ chooseFile: choose, pasteKey: () => state.open(false) }}
      />
    </>
  ) : (
    <EmptyState
      icon={PackageOpen}
      title={t('empty')}
      actions={[{ label: t('choose'), variant: 'primary', busy: choosing.isPending, onClick: choose }]}
    >
      {t('emptyText')}
    </EmptyState>
  )
}

export function OpenKeyFilePage() {
  const { t } = useTranslation(['handouts', 'plans'])
  const state = useOpenKeyFile()
  const failure = state.choosing.error?.failure
  return (
    <Page width="narrow">
      <PageHeader
        title={t('handouts:open.title')}
        state={state.accepted ? null : t('handouts:open.state')}
        breadcrumb={[{ label: t('plans:title'), to: '/plans' }]}
      />
      <ExplainedFailure failure={failure} handlers={{ chooseFile: state.choose, tryAgain: state.choose }} />
      <OpenKeyFileStep state={state} />
      {state.accepted || state.content ? null : <OwnPublicKey />}
    </Page>
  )
}

function OwnPublicKey() {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const ownRecipientAction = useAction('handouts.ownRecipient')
  const show = (): void => ownRecipientAction.mutate({})
  const recipient = ownRecipientAction.data?.recipient
  return (
    <Section
      title={t('own')}
      description={t('ownText')}
      actions={[recipient === undefined && { label: t('showOwn'), busy: ownRecipientAction.isPending, onClick: show }]}
    >
      <ExplainedFailure failure={ownRecipientAction.error?.failure} handlers={{ tryAgain: show }} />
      {recipient === undefined ? null : (
        <Card>
          <div className="flex select-text items-center gap-2 [&>code]:min-w-0 [&>code]:flex-1">
            <QuietCode wrap>{recipient}</QuietCode>
            <CopyText text={recipient} label={t('copyOwn')} size="md" />
          </div>
          <Hint>{t('ownHint')}</Hint>
        </Card>
      )}
    </Section>
  )
}

function SavedKeyView({ imported }: { readonly imported: ImportedKeyView }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const { data: app } = useCall('app.get', {})
  const { data: list } = useCall('handouts.imported', {})
  const { planId, keyId, planName: plan } = imported
  const current = list ? list.find((key) => key.planId === planId && key.keyId === keyId) : imported
  return (
    <>
      <Callout
        tone="success"
        title={t(app?.vault.kind === 'session' ? 'acceptedSession' : 'accepted', { plan })}
        actions={[
          { label: t('toPlan'), to: planPath(planId) },
          { label: t('setUp'), icon: Wrench, to: setUpPath({ planId }) },
        ]}
      />
      {current ? <ImportedKey imported={current} /> : <Callout tone="info" title={t('codeSent')} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Button onClick={() => useHandoutsStore.setState({ accepted: undefined })}>{t('another')}</Button>
      </div>
    </>
  )
}

function OpenedKeyFile({ content, state }: { readonly content: KeyFileContent; readonly state: OpenKeyFile }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const { t: tCommon } = useTranslation('common')
  const { number, relative } = useFormats()
  const tools = useToolNames(content.toolIds)
  const currentTime = useNow()
  const { accepting, accept, cancel } = state
  const { from, holder, purpose, planName, gatewayUrl, models, contextTokens, expiresAt, keyName, maskedKey } = content
  const isExpired = expiresAt !== undefined && Date.parse(expiresAt) <= currentTime.getTime()
  return (
    <Section title={t('content')}>
      <FactsCard
        items={[
          { label: t('from'), value: <strong>{from}</strong> },
          { label: t('holder'), value: holder.name },
          purpose !== undefined && { label: t('purpose'), value: purpose },
          { label: t('plan'), value: planName },
          { label: t('gateway'), value: <QuietCode wrap>{gatewayUrl}</QuietCode> },
          {
            label: t('models'),
            value: (
              <span className="flex flex-wrap gap-1">
                {models.map((code) => (
                  <Code key={code}>{code}</Code>
                ))}
              </span>
            ),
          },
          { label: t('context'), value: t('contextTokens', { amount: number(contextTokens) }) },
          { label: t('expires'), value: expiresAt === undefined ? t('noExpiry') : <RelativeTime at={expiresAt} /> },
          {
            label: t('key'),
            value: (
              <>
                {keyName} <QuietCode>{maskedKey}</QuietCode>
              </>
            ),
          },
          { label: t('tools'), value: tools.length === 0 ? t('toolsNone') : tools.join(', ') },
          { label: t('made'), value: <RelativeTime at={content.createdAt} /> },
        ]}
      />
      {isExpired ? (
        <Callout tone="warning" title={t('expired')}>
          {t('expiredText', { when: relative(expiresAt, currentTime).short })}
        </Callout>
      ) : null}
      <Hint>{t('check')}</Hint>
      <ExplainedFailure failure={accepting.error?.failure} handlers={{ tryAgain: accept }} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="flex-1 text-muted text-sm">{t('nothingYet')}</p>
        <Button onClick={cancel}>{tCommon('cancel')}</Button>
        <Button variant="primary" autoFocus busy={accepting.isPending} onClick={accept}>
          {t('accept')}
        </Button>
      </div>
    </Section>
  )
}

function PassphraseForm({ state }: { readonly state: OpenKeyFile }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const [isEmpty, setIsEmpty] = useState(true)
  const { field, opening, open } = state
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isEmpty) open(true)
  }
  return (
    <form onSubmit={submit} noValidate>
      <FieldGroup>
        <TextField
          label={t('passphrase')}
          required
          hint={t('passphraseHint')}
          ref={field}
          type="password"
          autoFocus
          maxLength={500}
          onChange={(text) => setIsEmpty(text.trim() === '')}
        />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Button icon={ClipboardPaste} disabled={opening.isPending} onClick={() => open(false)}>
            {t('paste')}
          </Button>
          <Button type="submit" variant="primary" busy={opening.isPending} disabled={isEmpty}>
            {t('open')}
          </Button>
        </div>
      </FieldGroup>
    </form>
  )
}

/** Steps from choosing a file to a local plan. Saves nothing before the user has seen the content. */
function useOpenKeyFile() {
  const [kit, setKit] = useState<ChosenKeyFile>()
  const accepted = useHandoutsStore((store) => store.accepted)
  const field = useRef<HTMLInputElement>(null)
  const clearField = (): void => {
    if (field.current) field.current.value = ''
  }
  // Reads the passphrase from the field, because variables of a mutation stay in its cache.
  const opening = useMutation<KeyFileContent, CallError, { readonly kitId: string; readonly withField: boolean }>({
    mutationFn: ({ kitId, withField }) =>
      call('handouts.openKit', { kitId, passphrase: withField ? field.current?.value : undefined }),
    onSuccess: clearField,
    onError: () => field.current?.select(),
  })
  const resetKeyFile = (newKit?: ChosenKeyFile): void => {
    setKit(newKit)
    opening.reset()
    clearField()
  }
  const chooseKeyFileAction = useAction('handouts.chooseKit', {
    onSuccess: ({ kit: chosenKit }) => {
      if (chosenKit) resetKeyFile(chosenKit)
    },
  })
  const { key, search } = useLocation()
  const { mutate: chooseKeyFile } = chooseKeyFileAction
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation, even to the same path, is another file.
  useEffect(() => {
    if (search === '?opened') chooseKeyFile({ isOpened: true })
  }, [key, search, chooseKeyFile])
  const acceptAction = useAction('handouts.accept', {
    invalidates: ['plans', 'register', 'audit', 'handouts'],
    onSuccess: (imported) => {
      useHandoutsStore.setState({ accepted: imported })
      resetKeyFile()
    },
  })
  return {
    kit,
    content: opening.data,
    accepted,
    field,
    opening,
    choosing: chooseKeyFileAction,
    accepting: acceptAction,
    choose: () => chooseKeyFile({}),
    open: (withField: boolean) => {
      if (kit && !opening.isPending) opening.mutate({ kitId: kit.kitId, withField })
    },
    accept: () => kit && acceptAction.mutate({ kitId: kit.kitId }),
    cancel: () => resetKeyFile(),
  }
}

type OpenKeyFile = ReturnType<typeof useOpenKeyFile>

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

function useNames(): (list: readonly { readonly toolName: string }[]) => string {
  const { locale } = useFormats()
  return (list) => formatList([...new Set(list.map(({ toolName }) => toolName))], locale)
}

function SwitchTools(props: { readonly imported: ImportedKeyView; readonly state: ReturnType<typeof useImportedKey> }) {
  const { imported, state } = props
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
function ImportedKey({ imported }: { readonly imported: ImportedKeyView }) {
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
