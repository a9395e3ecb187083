import { contextBridge, ipcRenderer } from 'electron'
import type { Bridge } from '../shared/contract'

const bridge: Bridge = {
  call: (name, input) => ipcRenderer.invoke('companion:call', name, input),
  on: (listener) => {
    const notifyListener = (_event: unknown, name: string, payload: unknown): void => listener(name, payload)
    ipcRenderer.on('companion:event', notifyListener)
    return () => ipcRenderer.off('companion:event', notifyListener)
  },
}

contextBridge.exposeInMainWorld('companion', bridge)
