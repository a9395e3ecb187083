interface ToastOptions {
  readonly tone?: 'success' | 'info' | 'danger'
  readonly description?: string
  /** Button of the toast, for example Undo or a link. */
  readonly action?: { readonly label: string; readonly onClick: () => void }
}

/** Shows a notice for five seconds. A failure stays for ten seconds and links to its help. */
export async function toast(
  title: string,
  { tone = 'success', description, action }: ToastOptions = {},
): Promise<void> {
  const sonner = await import('sonner')
  const show = { success: sonner.toast.success, info: sonner.toast.info, danger: sonner.toast.error }[tone]
  show(title, {
    duration: tone === 'danger' ? 10_000 : 5000,
    ...(description ? { description } : {}),
    ...(action ? { action } : {}),
  })
}

/** Closes a dialog whose action has succeeded, and shows a notice. */
export function closeWithToast(close: () => void, title: string): void {
  close()
  void toast(title)
}
