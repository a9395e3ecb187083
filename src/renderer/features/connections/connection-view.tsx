import type { ConnectionView } from '@shared/contract'
import { Check, ClipboardPaste, Ellipsis, Pencil } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Page, PageHeader } from '../../ui/page'
import { BuiltInNotice } from './built-in-notice'
import { ConnectionFacts } from './connection-facts'
import { useDrafts } from './drafts'
import { editPath, listPath } from './paths'
import { RemoveDialog } from './remove-dialog'
import { SavedNotice } from './saved-notice'
import { SecretDialog } from './secret-dialog'
import { secretKind } from './secret-state'
import { TestList } from './test-list'
import type { SavedConnection } from './use-connection-form'
import { useConnectionMenu, useUse } from './use-connection-menu'
import { useTitleFocus } from './use-title-focus'

interface ViewProps {
  readonly connection: ConnectionView
  readonly saved: SavedConnection | undefined
  readonly onSavedRead: () => void
}

interface ActionsProps {
  readonly connection: ConnectionView
  readonly onRemove: () => void
}

function Actions({ connection, onRemove }: ActionsProps) {
  const { t } = useTranslation('connections')
  const use = useUse()
  const items = useConnectionMenu(connection, { onPage: true, onRemove })
  const { id, name, isActive, isBuiltIn } = connection
  return (
    <>
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('actions', { name })} />} items={items} />
      {isBuiltIn ? null : (
        <ButtonLink icon={Pencil} to={editPath(id)}>
          {t('edit')}
        </ButtonLink>
      )}
      {isActive ? null : (
        <Button variant="primary" icon={Check} aria-label={t('useNamed', { name })} onClick={() => use(connection)}>
          {t('use')}
        </Button>
      )}
    </>
  )
}

function Notices({ connection, onPaste }: { readonly connection: ConnectionView; readonly onPaste: () => void }) {
  const { t } = useTranslation('connections')
  const { id, isBuiltIn, secret } = connection
  const hasDraft = useDrafts(({ drafts }) => drafts[id] !== undefined)
  const kind = secretKind(connection)
  if (isBuiltIn) return <BuiltInNotice />
  return (
    <>
      {hasDraft ? (
        <Callout
          tone="warning"
          title={t('draft.addedNamed', { name: connection.name })}
          actions={
            <ButtonLink size="sm" to={editPath(id)}>
              {t('draft.goOn')}
            </ButtonLink>
          }
        >
          {t('draft.kept')}
        </Callout>
      ) : null}
      {secret === 'missing' && kind ? (
        <Callout
          tone="warning"
          title={t(`kept.${kind}.missing`)}
          actions={
            <Button size="sm" icon={ClipboardPaste} onClick={onPaste}>
              {t(kind === 'pasted' ? 'secret.pasteToken' : 'secret.pasteSecret')}
            </Button>
          }
        >
          {t('secret.copyFirst')}
        </Callout>
      ) : null}
    </>
  )
}

/** One connection: its services and their tests, how it signs in, what it trusts. */
export function ConnectionViewPage({ connection, saved, onSavedRead }: ViewProps) {
  const { t } = useTranslation('connections')
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'secret' | 'remove'>()
  useTitleFocus()
  const close = (): void => setDialog(undefined)
  const paste = (): void => setDialog('secret')
  const { name, isActive, isBuiltIn } = connection
  return (
    <Page>
      <PageHeader
        title={name}
        breadcrumb={[{ label: t('title'), to: listPath }]}
        badge={
          <>
            {isActive ? (
              <Badge tone="accent" icon={Check}>
                {t('inUse')}
              </Badge>
            ) : null}
            {isBuiltIn ? <Badge>{t('builtIn')}</Badge> : null}
          </>
        }
        actions={<Actions connection={connection} onRemove={() => setDialog('remove')} />}
      />
      {saved ? <SavedNotice saved={saved} onClose={onSavedRead} /> : null}
      <Notices connection={connection} onPaste={paste} />
      <TestList connection={connection} onPaste={paste} />
      <ConnectionFacts connection={connection} onPaste={paste} />
      {dialog === 'secret' ? <SecretDialog connection={connection} onClose={close} /> : null}
      {dialog === 'remove' ? (
        <RemoveDialog connection={connection} onClose={close} onRemoved={() => void navigate(listPath)} />
      ) : null}
    </Page>
  )
}
