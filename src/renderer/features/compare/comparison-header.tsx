import type { ComparisonView } from '@shared/contract'
import { Check, Ellipsis, Pencil, Pin, Redo2, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field, TextInput } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { PageHeader } from '../../ui/page'
import { comparePath } from '../playground/paths'
import { useEditing, useSaving, useSetup } from './editing'
import styles from './page.module.css'
import { useComparisonMenu } from './use-comparison-menu'

function RenameDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const title = useSetup((setup) => setup.title)
  const [name, setName] = useState(title)
  const isEmpty = name.trim() === ''
  const save = (): void => {
    if (isEmpty) return
    edit((setup) => ({ ...setup, title: name.trim() }))
    onClose()
  }
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={onClose}
      title={t('rename.title')}
      footer={
        <Button variant="primary" disabled={isEmpty} onClick={save}>
          {t('rename.button')}
        </Button>
      }
    >
      <Field label={t('rename.label')}>
        <TextInput
          autoFocus
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save()
          }}
        />
      </Field>
    </Dialog>
  )
}

function SaveState() {
  const { t } = useTranslation('compare')
  const { isSaved, failure } = useSaving()
  return (
    <span className={styles.saved} role="status">
      {failure ? null : isSaved ? (
        <>
          <Check size={13} aria-hidden="true" />
          {t('saved')}
        </>
      ) : (
        t('saving')
      )}
    </span>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && ['INPUT', 'TEXTAREA'].includes(target.tagName)

/** Takes edits back and makes them again; by keyboard wherever no field has an undo of its own. */
function History() {
  const { t } = useTranslation('compare')
  const { undo, redo } = useEditing()
  const { canUndo, canRedo } = useSaving()
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || isTyping(event.target)) return
      event.preventDefault()
      if (event.shiftKey) redo()
      else undo()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [undo, redo])
  return (
    <>
      <IconButton icon={Undo2} label={t('undo')} disabled={!canUndo} onClick={undo} />
      <IconButton icon={Redo2} label={t('redo')} disabled={!canRedo} onClick={redo} />
    </>
  )
}

/** The name of the comparison, how saving stands, and what can be done with the whole. */
export function ComparisonHeader({ view }: { readonly view: ComparisonView }) {
  const { t } = useTranslation('compare')
  const navigate = useNavigate()
  const title = useSetup((setup) => setup.title)
  const [isRenaming, setIsRenaming] = useState(false)
  const itemsOf = useComparisonMenu(() => void navigate(comparePath))
  const { id, isPinned } = view
  return (
    <>
      <PageHeader
        title={title}
        breadcrumb={[{ label: t('title'), to: comparePath }]}
        badge={
          <>
            <IconButton size="sm" icon={Pencil} label={t('rename.title')} onClick={() => setIsRenaming(true)} />
            {isPinned ? <Badge icon={Pin}>{t('pinned')}</Badge> : null}
          </>
        }
        actions={
          <>
            <SaveState />
            <History />
            <Menu
              align="end"
              trigger={<IconButton icon={Ellipsis} label={t('more', { title })} />}
              items={itemsOf({ id, title, isPinned })}
            />
          </>
        }
      />
      {isRenaming ? <RenameDialog onClose={() => setIsRenaming(false)} /> : null}
    </>
  )
}
