import type { CapturedSecret, SavedSecret } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Copy, KeyRound, ShieldCheck, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { RelativeTime } from '../../../relative-time'
import { useToastAction } from '../../../toast-actions'
import { Button } from '../../../ui/button'
import { Code } from '../../../ui/code'
import { ConfirmDialog, Dialog } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { Section } from '../../../ui/page'
import { InlineDetails, Row, RowIcon, Rows } from '../../../ui/rows'
import { toast } from '../../../ui/toast'
import { useWindowState } from '../../../window-state'
import { useFieldNames } from './lookup'
import { type ResourceText, useResourceText } from './resource'
import { useService } from './service-gate'

/** Copies a secret, and shows when the clipboard is cleared. */
function useCopyAction<N extends 'resources.copySecret' | 'resources.copyKept'>(name: N, onCopied?: () => void) {
  const { t } = useTranslation('resources')
  const { duration } = useFormats()
  return useToastAction<N>(name, {
    onSuccess: ({ clearsAfterMs }) => {
      onCopied?.()
      void toast(t('secret.copied'), { description: t('secret.copiedHint', { time: duration(clearsAfterMs) }) })
    },
  })
}

export interface SecretButtonsProps {
  readonly secret: CapturedSecret
  /** Default name, and kind, under which the secret is saved. */
  readonly keepAs: Pick<SavedSecret, 'kind' | 'name'>
  readonly children?: ReactNode
  /** Called after the secret was saved. If set, no toast is shown. */
  readonly onKept?: (keptSecret: SavedSecret) => void
}

/** Buttons that copy a secret or save it in the keychain. The main process has the secret, the window never shows it. */
export function SecretButtons({ secret, keepAs, children, onKept }: SecretButtonsProps) {
  const { t } = useTranslation('resources')
  const [isKeeping, setIsKeeping] = useState(false)
  const [, setSavedHandles] = useSavedHandles()
  const markSaved = (): void => setSavedHandles((handles) => new Set([...handles, secret.handle]))
  const copySecretAction = useCopyAction('resources.copySecret', markSaved)
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Button
        size="sm"
        icon={Copy}
        busy={copySecretAction.isPending}
        onClick={() => copySecretAction.mutate({ handle: secret.handle })}
      >
        {t('secret.copy')}
      </Button>
      <Button size="sm" icon={KeyRound} onClick={() => setIsKeeping(true)}>
        {t('secret.keep')}
      </Button>
      {children}
      {isKeeping ? (
        <SaveSecretDialog
          {...{ secret, keepAs }}
          onClose={() => setIsKeeping(false)}
          onKept={(keptSecret) => {
            setIsKeeping(false)
            markSaved()
            if (onKept) onKept(keptSecret)
            else void toast(t('secret.kept', { name: keptSecret.name }), { description: t('secret.keptHint') })
          }}
        />
      ) : null}
    </span>
  )
}

const maxNameLength = 200

function SaveSecretDialog(
  props: Required<Pick<SecretButtonsProps, 'secret' | 'keepAs' | 'onKept'>> & { readonly onClose: () => void },
) {
  const { secret, keepAs, onClose, onKept } = props
  const { t } = useTranslation('resources')
  const connectionId = useService().connection.id
  const refreshSavedSecrets = useRefreshSavedSecrets()
  const [name, setName] = useState(keepAs.name)
  const { data: keptSecrets = [] } = useCall('resources.keptSecrets', { connectionId })
  const saveSecret = useAction('resources.keepSecret', {
    onSuccess: (newSecret) => {
      refreshSavedSecrets()
      onKept(newSecret)
    },
  })
  const trimmedName = name.trim()
  const isNameTaken = keptSecrets.some((saved) => saved.name === trimmedName && saved.kind === keepAs.kind)
  const save = (): void => {
    if (trimmedName === '' || saveSecret.isPending) return
    saveSecret.mutate({ handle: secret.handle, connectionId, kind: keepAs.kind, name: trimmedName })
  }
  return (
    <Dialog
      size="sm"
      onClose={onClose}
      title={t('secret.keepTitle')}
      description={t('secret.keepText')}
      action={{ label: t('secret.keep'), onSubmit: save, busy: saveSecret.isPending, disabled: trimmedName === '' }}
    >
      <TextField
        label={t('secret.name')}
        hint={isNameTaken ? t('secret.taken') : t('secret.nameHint')}
        required
        mono
        autoFocus
        maxLength={maxNameLength}
        value={name}
        onChange={setName}
      />
      {saveSecret.error ? <ExplainedFailure failure={saveSecret.error.failure} /> : null}
    </Dialog>
  )
}

export function CapturedSecrets(
  props: Pick<SecretButtonsProps, 'keepAs' | 'onKept'> & {
    readonly secrets: readonly CapturedSecret[]
    readonly actions?: (secret: CapturedSecret) => ReactNode
  },
) {
  const { secrets, keepAs, actions, onKept } = props
  const { t } = useTranslation('resources')
  const getFieldName = useFieldNames()
  const [keptSecret, setKeptSecret] = useState<SavedSecret>()
  return (
    <section
      className="flex flex-col gap-2.5 rounded-lg border border-accent-line bg-accent-soft px-4 py-3.5"
      aria-label={t('secret.title')}
    >
      <p className="flex gap-2 leading-4.75 [&>svg]:mt-0.5 [&>svg]:text-accent-text">
        <ShieldCheck size={15} strokeWidth={1.8} aria-hidden="true" />
        {t('secret.hint')}
      </p>
      <ul className="flex flex-col gap-2">
        {secrets.map((secret) => (
          <li key={secret.handle} className="flex flex-wrap items-center gap-2">
            <KeyRound size={15} strokeWidth={1.8} aria-hidden="true" />
            <span className="min-w-0 flex-[1_1_140px] wrap-anywhere">
              <span title={secret.at}>{secret.at.split('/').filter(Boolean).map(getFieldName).join(' · ')}</span>{' '}
              <Code quiet>{secret.masked}</Code>
            </span>
            <SecretButtons
              {...{ secret, keepAs }}
              onKept={(newSecret) => {
                setKeptSecret(newSecret)
                onKept?.(newSecret)
              }}
            >
              {actions?.(secret)}
            </SecretButtons>
          </li>
        ))}
      </ul>
      {keptSecret ? (
        <p className="text-success text-sm" role="status">
          {t('secret.keptAs', { name: keptSecret.name })}
        </p>
      ) : null}
    </section>
  )
}

function ForgetDialog({ kept, onClose }: { readonly kept: SavedSecret; readonly onClose: () => void }) {
  const { t } = useTranslation('resources')
  const { id, name } = kept
  const refreshSavedSecrets = useRefreshSavedSecrets()
  const forgetSecret = useAction('resources.forgetKept', {
    onSuccess: () => {
      refreshSavedSecrets()
      onClose()
      void toast(t('secret.forgotten', { name }))
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('secret.forgetTitle', { name })}
      description={t('secret.forgetText')}
      confirmLabel={t('secret.forget')}
      danger
      busy={forgetSecret.isPending}
      onConfirm={() => forgetSecret.mutate({ id })}
    >
      {forgetSecret.error ? <ExplainedFailure failure={forgetSecret.error.failure} /> : null}
    </ConfirmDialog>
  )
}

function SavedSecretRow(props: {
  readonly kept: SavedSecret
  readonly actions: ReactNode
  readonly onForget: () => void
}) {
  const { actions, onForget } = props
  const { id, name, masked, keptAt } = props.kept
  const { t } = useTranslation('resources')
  const copySecretAction = useCopyAction('resources.copyKept')
  return (
    <Row
      leading={<RowIcon icon={KeyRound} />}
      title={name}
      description={
        <InlineDetails
          items={[
            <Code key="masked" quiet>
              {masked}
            </Code>,
            <RelativeTime key="at" at={keptAt} />,
          ]}
        />
      }
      trailing={
        <span className="inline-flex flex-wrap items-center gap-1.5">
          {actions}
          <Button
            size="sm"
            icon={Copy}
            busy={copySecretAction.isPending}
            onClick={() => copySecretAction.mutate({ id })}
          >
            {t('secret.copy')}
          </Button>
          <IconButton icon={Trash2} size="sm" label={t('secret.forgetNamed', { name })} onClick={onForget} />
        </span>
      }
    />
  )
}

/** List of a connection's saved secrets of the given kinds. Renders nothing if there are none. */
export function SavedSecretList(props: {
  readonly secretKinds: readonly SavedSecret['kind'][]
  readonly description: ResourceText
  readonly actions?: (keptSecret: SavedSecret) => ReactNode
}) {
  const { secretKinds, description, actions } = props
  const connectionId = useService().connection.id
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const [forgotten, forget] = useState<SavedSecret>()
  const secretsQuery = useCall('resources.keptSecrets', { connectionId })
  return (
    <Loaded query={secretsQuery} rows={1}>
      {(keptSecrets) => {
        const ownSecrets = keptSecrets.filter(({ kind }) => secretKinds.includes(kind))
        if (ownSecrets.length === 0) return null
        return (
          <Section title={t('secret.keptTitle')} description={text(description)}>
            <Rows label={t('secret.keptTitle')}>
              {ownSecrets.map((keptSecret) => (
                <SavedSecretRow
                  key={keptSecret.id}
                  kept={keptSecret}
                  actions={actions?.(keptSecret)}
                  onForget={() => forget(keptSecret)}
                />
              ))}
            </Rows>
            {forgotten ? <ForgetDialog kept={forgotten} onClose={() => forget(undefined)} /> : null}
          </Section>
        )
      }}
    </Loaded>
  )
}

const noHandles: ReadonlySet<string> = new Set()

/** Handles of secrets that were copied or saved. Closing a form with another one-time secret requires a confirmation. */
export const useSavedHandles = () => useWindowState('resources.savedSecrets', noHandles)

/** Reloads only the list of saved secrets. */
function useRefreshSavedSecrets(): () => void {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: ['resources.keptSecrets'] })
}
