import type { ImportedKeyView, KeyFileContent } from '@shared/contract'
import type { ChosenKeyFile } from '@shared/contract/register'
import { useMutation } from '@tanstack/react-query'
import i18next from 'i18next'
import { ClipboardPaste, FileLock, PackageOpen, Wrench } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatList, formatNumber, formatRelative } from '../../../format'
import { type CallError, call, useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { planPath } from '../../../paths'
import { RelativeTime, useNow } from '../../../relative-time'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Code, QuietCode } from '../../../ui/code'
import { ConfirmButton } from '../../../ui/dialog'
import { FieldGroup, Form, TextField } from '../../../ui/field'
import { Card, EmptyState, FactsCard, Page, PageHeader, Section } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import { useToolNames } from '../../connections/account'
import { FileChanges, setUpPath, setupKey } from '../../tools'
import { useHandoutsStore } from './handout-fields'

const t = i18next.getFixedT(null, ['handouts', 'plans', 'common'])

function OpenKeyFileStep({ state }: { readonly state: OpenKeyFile }) {
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
              {t('open.chooseOther')}
            </Button>
          </div>
          {kit.needs === 'passphrase' ? (
            <PassphraseForm key={kit.kitId} state={state} />
          ) : kit.needs === 'anotherKey' ? (
            <Callout tone="warning" title={t('open.foreign')}>
              {t('open.foreignText')}
            </Callout>
          ) : (
            <div className="flex flex-wrap items-center justify-end gap-2">
              <p className="flex-1 text-muted text-sm">{t('open.mine')}</p>
              <Button variant="primary" autoFocus busy={state.opening.isPending} onClick={() => state.open(false)}>
                {t('open.open')}
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
      title={t('open.empty')}
      actions={[{ label: t('open.choose'), variant: 'primary', busy: choosing.isPending, onClick: choose }]}
    >
      {t('open.emptyText')}
    </EmptyState>
  )
}

export function OpenKeyFilePage() {
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
  const ownRecipientAction = useAction('handouts.ownRecipient')
  const show = (): void => ownRecipientAction.mutate({})
  const recipient = ownRecipientAction.data?.recipient
  return (
    <Section
      title={t('open.own')}
      description={t('open.ownText')}
      actions={[
        recipient === undefined && { label: t('open.showOwn'), busy: ownRecipientAction.isPending, onClick: show },
      ]}
    >
      <ExplainedFailure failure={ownRecipientAction.error?.failure} handlers={{ tryAgain: show }} />
      {recipient === undefined ? null : (
        <Card>
          <div className="flex select-text items-center gap-2 [&>code]:min-w-0 [&>code]:flex-1">
            <QuietCode wrap>{recipient}</QuietCode>
            <CopyText text={recipient} label={t('open.copyOwn')} size="md" />
          </div>
          <Hint>{t('open.ownHint')}</Hint>
        </Card>
      )}
    </Section>
  )
}

function SavedKeyView({ imported }: { readonly imported: ImportedKeyView }) {
  const { data: app } = useCall('app.get', {})
  const { data: list } = useCall('handouts.imported', {})
  const { planId, keyId, planName: plan } = imported
  const current = list ? list.find((key) => key.planId === planId && key.keyId === keyId) : imported
  return (
    <>
      <Callout
        tone="success"
        title={t(app?.vault.kind === 'session' ? 'open.acceptedSession' : 'open.accepted', { plan })}
        actions={[
          { label: t('open.toPlan'), to: planPath(planId) },
          { label: t('open.setUp'), icon: Wrench, to: setUpPath({ planId }) },
        ]}
      />
      {current ? <ImportedKey imported={current} /> : <Callout tone="info" title={t('open.codeSent')} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Button onClick={() => useHandoutsStore.setState({ accepted: undefined })}>{t('open.another')}</Button>
      </div>
    </>
  )
}

function OpenedKeyFile({ content, state }: { readonly content: KeyFileContent; readonly state: OpenKeyFile }) {
  const tools = useToolNames(content.toolIds)
  const currentTime = useNow()
  const { accepting, accept, cancel } = state
  const { from, holder, purpose, planName, gatewayUrl, models, contextTokens, expiresAt, keyName, maskedKey } = content
  const isExpired = expiresAt !== undefined && Date.parse(expiresAt) <= currentTime.getTime()
  return (
    <Section title={t('open.content')}>
      <FactsCard
        items={[
          { label: t('open.from'), value: <strong>{from}</strong> },
          { label: t('open.holder'), value: holder.name },
          purpose !== undefined && { label: t('open.purpose'), value: purpose },
          { label: t('open.plan'), value: planName },
          { label: t('open.gateway'), value: <QuietCode wrap>{gatewayUrl}</QuietCode> },
          {
            label: t('open.models'),
            value: (
              <span className="flex flex-wrap gap-1">
                {models.map((code) => (
                  <Code key={code}>{code}</Code>
                ))}
              </span>
            ),
          },
          { label: t('open.context'), value: t('open.contextTokens', { amount: formatNumber(contextTokens) }) },
          {
            label: t('open.expires'),
            value: expiresAt === undefined ? t('open.noExpiry') : <RelativeTime at={expiresAt} />,
          },
          {
            label: t('open.key'),
            value: (
              <>
                {keyName} <QuietCode>{maskedKey}</QuietCode>
              </>
            ),
          },
          { label: t('open.tools'), value: tools.length === 0 ? t('open.toolsNone') : tools.join(', ') },
          { label: t('open.made'), value: <RelativeTime at={content.createdAt} /> },
        ]}
      />
      {isExpired ? (
        <Callout tone="warning" title={t('open.expired')}>
          {t('open.expiredText', { when: formatRelative(expiresAt, currentTime).short })}
        </Callout>
      ) : null}
      <Hint>{t('open.check')}</Hint>
      <ExplainedFailure failure={accepting.error?.failure} handlers={{ tryAgain: accept }} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="flex-1 text-muted text-sm">{t('open.nothingYet')}</p>
        <Button onClick={cancel}>{t('common:cancel')}</Button>
        <Button variant="primary" autoFocus busy={accepting.isPending} onClick={accept}>
          {t('open.accept')}
        </Button>
      </div>
    </Section>
  )
}

function PassphraseForm({ state }: { readonly state: OpenKeyFile }) {
  const [isEmpty, setIsEmpty] = useState(true)
  const { field, opening, open } = state
  return (
    <Form onSubmit={() => !isEmpty && open(true)}>
      <FieldGroup>
        <TextField
          label={t('open.passphrase')}
          required
          hint={t('open.passphraseHint')}
          ref={field}
          type="password"
          autoFocus
          maxLength={500}
          onChange={(text) => setIsEmpty(text.trim() === '')}
        />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Button icon={ClipboardPaste} disabled={opening.isPending} onClick={() => open(false)}>
            {t('open.paste')}
          </Button>
          <Button type="submit" variant="primary" busy={opening.isPending} disabled={isEmpty}>
            {t('open.open')}
          </Button>
        </div>
      </FieldGroup>
    </Form>
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
  const switching = useAction('handouts.switchTools', { invalidates: changedDomains })
  return { key, results: switching.data?.results ?? [], switching, switchTools: () => switching.mutate(key) }
}

const formatNames = (list: readonly { readonly toolName: string }[]): string =>
  formatList([...new Set(list.map(({ toolName }) => toolName))])

function SwitchTools(props: { readonly imported: ImportedKeyView; readonly state: ReturnType<typeof useImportedKey> }) {
  const { imported, state } = props
  const skipSwitch = useAction('handouts.skipSwitch', { invalidates: ['handouts'] })
  const { tools, oldKeyNames, keyName, hasFailed } = imported
  const previews = useCall('handouts.previewSwitch', state.key, { staleTime: 0, enabled: tools.length > 0 })
  const failedResults = state.results.filter(({ failure }) => failure)
  const names = formatNames(tools.length > 0 ? tools : failedResults)
  const oldKeys = formatList(oldKeyNames)
  return (
    <Section
      title={tools.length > 0 ? t('imported.switch', { names }) : t('imported.testFailed')}
      description={
        tools.length > 0 ? t('imported.switchText', { names, oldKeys }) : t('imported.testFailedText', { key: keyName })
      }
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
                  {change || failure ? null : <Hint>{t('imported.byRoute')}</Hint>}
                </div>
              ))}
            </div>
          )}
        </Loaded>
      ) : null}
      {failedResults.map(({ toolId, toolName, site, failure }) =>
        failure ? (
          <Callout key={setupKey(toolId, site)} tone="danger" title={t('imported.notSwitched', { tool: toolName })}>
            {failure.message}
          </Callout>
        ) : null,
      )}
      <ExplainedFailure failure={state.switching.error?.failure} handlers={{ tryAgain: state.switchTools }} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="flex-1 text-muted text-sm">{t('imported.codeLater')}</p>
        <ConfirmButton
          label={t('imported.skip')}
          title={t('imported.skipTitle', { names })}
          description={t('imported.skipText', { names, oldKeys })}
          confirmLabel={t('imported.skipConfirm')}
          mutation={skipSwitch}
          onConfirm={(close) => skipSwitch.mutate(state.key, { onSuccess: close })}
        />
        <Button variant="primary" autoFocus busy={state.switching.isPending} onClick={state.switchTools}>
          {hasFailed && tools.length === 0 ? t('imported.testAgain') : t('imported.apply')}
        </Button>
      </div>
    </Section>
  )
}

/** Show the confirmation code only after the tools were switched to the key. */
function ImportedKey({ imported }: { readonly imported: ImportedKeyView }) {
  const state = useImportedKey(imported)
  const markCodeSent = useAction('handouts.markCodeSent', { invalidates: ['handouts'] })
  const { code, tools, from, keyName, oldKeyNames } = imported
  if (code === undefined) return <SwitchTools imported={imported} state={state} />
  const switchedResults = state.results.filter((result) => result.state === 'verified')
  return (
    <>
      {switchedResults.length > 0 ? (
        <Callout tone="success" title={t('imported.switched', { names: formatNames(switchedResults), key: keyName })} />
      ) : null}
      {tools.length > 0 ? (
        <Callout
          tone="warning"
          title={t('imported.stops', { names: formatNames(tools), oldKeys: formatList(oldKeyNames) })}
          actions={[{ label: t('imported.apply'), busy: state.switching.isPending, onClick: state.switchTools }]}
        >
          {state.switching.error ? <ExplainedFailure failure={state.switching.error.failure} /> : null}
        </Callout>
      ) : null}
      <Section title={t('imported.code')} description={t('imported.codeText', { from, key: keyName })}>
        <Card>
          <div className="flex select-text flex-wrap items-center gap-2 [&>code]:min-w-0 [&>code]:flex-1">
            <QuietCode wrap>{code}</QuietCode>
            <CopyText text={code} label={t('imported.copyCode')} size="md" />
            <Button busy={markCodeSent.isPending} onClick={() => markCodeSent.mutate(state.key)}>
              {t('imported.markSent')}
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
