import type { ComparisonSetup, ComparisonView } from '@shared/contract'
import { getRepeatCount } from '@shared/playground'
import i18next from 'i18next'
import { Check, ChevronRight, ClipboardPaste, Pencil, Pin, Plus, Redo2, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { call, useCall } from '../../../ipc'
import { comparePath } from '../../../paths'
import { useWindowKey } from '../../../shortcuts'
import { Badge } from '../../../ui/badge'
import { renderActions } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { TextAreaField, TextField } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { MenuButton } from '../../../ui/menu'
import { PageHeader } from '../../../ui/page'
import { Select } from '../../../ui/select'
import { CompactSwitch } from '../../../ui/switch'
import { Hint } from '../../../ui/text'
import { useWindowState } from '../../../window-state'
import { PartPage } from '..'
import { CasesTable, PasteDialog } from './cases'
import { ComparisonGrid } from './comparison-grid'
import { useComparisonMenu } from './comparisons-page'
import {
  createEditing,
  EditingContext,
  type EditSession,
  useEditing,
  useSaveState,
  useSetup,
  useUpdateView,
} from './editing'
import { growingAreaClass } from './grid'
import { countRated, limits, usedVariables, withNewCase, withPrompt } from './setup'

const t = i18next.getFixedT(null, 'compare')

/** Creates the editor of this comparison page. It saves pending changes when the page unmounts. */
function useComparisonEditing(view: ComparisonView): EditSession {
  const updateView = useUpdateView(view.id)
  const save = async (setup: ComparisonSetup): Promise<ComparisonView> => {
    const saved = await call('playground.saveComparison', { id: view.id, setup })
    updateView(saved)
    return saved
  }
  const [editing] = useState(() => createEditing(view, save))
  useEffect(() => editing.hear(view), [editing, view])
  useEffect(() => {
    const saveEdits = (): void => void editing.flush().catch(() => undefined)
    window.addEventListener('pagehide', saveEdits)
    return () => {
      window.removeEventListener('pagehide', saveEdits)
      saveEdits()
    }
  }, [editing])
  return editing
}

function Comparison({ view }: { readonly view: ComparisonView }) {
  const editSession = useComparisonEditing(view)
  return (
    <EditingContext value={editSession}>
      <div className="@container h-full overflow-x-auto overflow-y-scroll scroll-pt-27">
        <div className="w-max min-w-full">
          <ComparisonGrid
            view={view}
            lead={
              <>
                <ComparisonHeader view={view} />
                <PromptSection />
                <CasesSection view={view} />
              </>
            }
          />
        </div>
      </div>
    </EditingContext>
  )
}

export function ComparisonPage() {
  const { comparisonId = '' } = useParams()
  const query = useCall('playground.comparison', { id: comparisonId })
  return (
    <PartPage part="compare" query={query}>
      {(view) => <Comparison key={view.id} view={view} />}
    </PartPage>
  )
}

function PromptSection() {
  const { edit } = useEditing()
  const { prompt, columns } = useSetup((setup) => setup)
  const ownPromptCount = columns.filter((column) => column.prompt !== undefined).length
  const isUnused = ownPromptCount === columns.length
  // Hide the shared prompt if it is empty and every column has its own.
  if (isUnused && prompt === '') return null
  return (
    <TextAreaField
      label={t('prompt.label')}
      hint={
        ownPromptCount === 0 ? undefined : t(isUnused ? 'prompt.allOwn' : 'prompt.someOwn', { count: ownPromptCount })
      }
      className={growingAreaClass}
      value={prompt}
      rows={3}
      placeholder={t('prompt.placeholder', { example: '{{name}}' })}
      onChange={(text) => edit((setup) => withPrompt(setup, text), 'prompt')}
    />
  )
}

function SetupActions({ onPaste }: { readonly onPaste: () => void }) {
  const { edit } = useEditing()
  const variables = useSetup((setup) => setup.variables)
  const count = useSetup((setup) => setup.cases.length)
  return (
    <div className="ml-auto flex flex-wrap gap-1">
      {renderActions(
        [
          variables.length > 0 && {
            label: t('cases.add'),
            icon: Plus,
            variant: 'ghost',
            disabled: count >= limits.cases,
            onClick: () => edit((setup) => withNewCase(setup)),
          },
          {
            label: t('cases.addColumn'),
            icon: Plus,
            variant: 'ghost',
            disabled: variables.length >= limits.variables,
            onClick: () => edit((setup) => withNewVariable(setup, t('cases.newName'))),
          },
          { label: t('cases.paste'), icon: ClipboardPaste, variant: 'ghost', onClick: onPaste },
        ],
        'sm',
      )}
    </div>
  )
}

function ScoringOptions({ view }: { readonly view: ComparisonView }) {
  const { edit } = useEditing()
  const repeats = useSetup(getRepeatCount)
  const maxRepeats = useSetup(({ cases }) => getRepeatCount({ repeats: limits.repeats, cases }))
  const isBlind = useSetup((setup) => setup.isBlind ?? false)
  const { rated, total } = countRated(view.cells)
  return (
    <div className="ml-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <span className="inline-flex items-center gap-1.5">
        <span className="text-muted">{t('repeats.label')}</span>
        <Select
          className="h-control-sm w-15"
          aria-label={t('repeats.label')}
          value={String(repeats)}
          onValueChange={(value) => edit((setup) => ({ ...setup, repeats: Number(value) }))}
          options={Array.from({ length: maxRepeats }, (_, index) => ({
            value: String(index + 1),
            label: String(index + 1),
          }))}
        />
      </span>
      <span className="inline-flex items-center gap-1.5" title={t('blind.hint')}>
        <span className="text-muted">{t('blind.label')}</span>
        <CompactSwitch
          label={t('blind.label')}
          checked={isBlind}
          onCheckedChange={(on) => edit((setup) => ({ ...setup, isBlind: on }))}
        />
        {isBlind && total > 0 ? (
          <span className="text-muted tabular-nums" role="status">
            {t('blind.rated', { rated, count: total })}
          </span>
        ) : null}
      </span>
    </div>
  )
}

function CasesHint() {
  const setup = useSetup((currentSetup) => currentSetup)
  const emptyVariables = usedVariables(setup).filter(
    (name) => setup.cases.length === 0 || !setup.variables.includes(name),
  )
  if (setup.variables.length === 0 && emptyVariables.length === 0)
    return (
      <Hint>
        {t('cases.none')} <code className="text-text">{'{{name}}'}</code>
      </Hint>
    )
  if (emptyVariables.length === 0) return null
  const names = emptyVariables.map((name) => `{{${name}}}`).join(', ')
  return <Hint>{t('cases.unfilled', { names, count: emptyVariables.length })}</Hint>
}

function CasesSection({ view }: { readonly view: ComparisonView }) {
  const [isCasesOpen, setIsCasesOpen] = useWindowState('compare.isCasesOpen', true)
  const hasVariables = useSetup((setup) => setup.variables.length > 0)
  const count = useSetup((setup) => setup.cases.length)
  const [pasted, setPasted] = useState<string>()
  return (
    <section className="flex flex-col gap-2" aria-label={t('cases.title')}>
      <div className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1">
        <button
          type="button"
          className="group -ml-1.5 inline-flex h-7 items-center gap-1 rounded-md pr-2 pl-1 font-semibold hover:bg-hover"
          aria-expanded={isCasesOpen}
          onClick={() => setIsCasesOpen((wasOpen) => !wasOpen)}
        >
          <ChevronRight size={14} className="transition-transform group-aria-expanded:rotate-90" aria-hidden="true" />
          {t('cases.title')}
        </button>
        <Hint as="span">{count === 0 ? '' : t('cases.count', { count })}</Hint>
        <ScoringOptions view={view} />
        <SetupActions onPaste={() => setPasted('')} />
      </div>
      {isCasesOpen && hasVariables ? <CasesTable onPasteTable={setPasted} /> : null}
      {isCasesOpen ? <CasesHint /> : null}
      {pasted === undefined ? null : <PasteDialog text={pasted} onClose={() => setPasted(undefined)} />}
    </section>
  )
}

function RenameDialog({ onClose }: { readonly onClose: () => void }) {
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
      size="sm"
      onClose={onClose}
      title={t('rename.title')}
      action={{ label: t('rename.button'), onSubmit: save, disabled: isEmpty }}
    >
      <TextField label={t('rename.label')} autoFocus value={name} maxLength={200} onChange={setName} />
    </Dialog>
  )
}

/** Whether all edits are saved, and buttons to undo and redo them. */
function EditState() {
  const { undo, redo } = useEditing()
  const { isSaved, failure, canUndo, canRedo } = useSaveState()
  useWindowKey((event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
    if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || isTyping) return
    event.preventDefault()
    if (event.shiftKey) redo()
    else undo()
  })
  return (
    <>
      <span className="inline-flex items-center gap-1 text-faint text-sm" role="status">
        {isSaved && !failure ? <Check size={13} aria-hidden="true" /> : null}
        {failure ? null : t(isSaved ? 'saved' : 'saving')}
      </span>
      <IconButton icon={Undo2} label={t('undo')} disabled={!canUndo} onClick={undo} />
      <IconButton icon={Redo2} label={t('redo')} disabled={!canRedo} onClick={redo} />
    </>
  )
}

function ComparisonHeader({ view }: { readonly view: ComparisonView }) {
  const navigate = useNavigate()
  const title = useSetup((setup) => setup.title)
  const [isRenaming, setIsRenaming] = useState(false)
  const getMenuItems = useComparisonMenu(() => void navigate(comparePath))
  const { flush } = useEditing()
  const { failure } = useSaveState()
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
            <EditState />
            <MenuButton label={t('more', { title })} items={getMenuItems({ id, title, isPinned })} />
          </>
        }
      />
      <ExplainedFailure failure={failure} handlers={{ tryAgain: () => void flush().catch(() => undefined) }} />
      {isRenaming ? <RenameDialog onClose={() => setIsRenaming(false)} /> : null}
    </>
  )
}

/** Adds a variable with a name that is not in use, such as `variable`, `variable2`. */
function withNewVariable(setup: ComparisonSetup, base: string): ComparisonSetup {
  let name = base
  for (let number = 2; setup.variables.includes(name); number += 1) name = `${base}${number}`
  const cases = setup.cases.map((testCase) => ({ ...testCase, values: [...testCase.values, ''] }))
  return { ...setup, variables: [...setup.variables, name], cases }
}
