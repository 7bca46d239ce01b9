// SPDX-License-Identifier: MIT
/* CodeMirror, loaded when it is first needed, from this server. */
import { make } from './page.js';
import { t } from './text.js';

const cuda = `__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__
  __forceinline__ __noinline__ __syncthreads __syncwarp __ballot_sync __shfl_sync __shfl_up_sync __shfl_down_sync
  __shfl_xor_sync __ldg threadIdx blockIdx blockDim gridDim warpSize dim3 atomicAdd atomicCAS atomicMax atomicMin
  int2 int4 float2 float4 clock clock64`;
const words = text => Object.fromEntries(text.trim().split(/\s+/).map(word => [word, true]));

const script = src => new Promise((resolve, reject) =>
  document.head.append(make('script', { src, onload: resolve, onerror: reject })));
let loading = null;

async function load() {
  document.head.prepend(make('link', { rel: 'stylesheet', href: '/editor/codemirror.css' }));
  await script('/editor/codemirror.js');
  await Promise.all(['clike', 'matchbrackets', 'runmode'].map(name => script(`/editor/${name}.js`)));
  const mode = window.CodeMirror.resolveMode('text/x-c++src');
  window.CodeMirror.defineMIME('text/x-cuda', { ...mode, builtin: words(cuda) });
}

async function codeMirror() {
  await (loading ||= load());
  return window.CodeMirror;
}

/* Source to read, in colour. */
export async function coloured(text) {
  const pre = make('pre', { className: 'cm-s-default', tabIndex: 0 });
  (await codeMirror()).runMode(text, 'text/x-cuda', pre);
  return pre;
}

/* An editor in `place`, which Tab leaves. `keys`: run, save; and `keep`, called when what was changed
 * has stood for a moment, so that it survives whatever becomes of the page. */
export async function edit(place, text, keys) {
  const CodeMirror = await codeMirror();
  const editor = CodeMirror(place, {
    value: text, mode: 'text/x-cuda', lineNumbers: true, indentUnit: 4, matchBrackets: true, viewportMargin: Infinity,
    extraKeys: {
      Tab: false, 'Shift-Tab': false, 'Ctrl-Enter': keys.run, 'Cmd-Enter': keys.run,
      'Ctrl-S': keys.save, 'Cmd-S': keys.save,
    },
  });
  editor.getInputField().setAttribute('aria-label', t('editor'));
  let marked = [];
  let timer = null;
  editor.on('change', () => {
    clearTimeout(timer);
    timer = setTimeout(keys.keep, 1500);
  });
  return {
    text: () => editor.getValue(),
    set: value => editor.setValue(value),
    clear() {
      for (const undo of marked) undo();
      marked = [];
    },
    /* Messages at their lines. */
    mark(marks) {
      this.clear();
      for (const { line, text: message } of marks.slice(0, 20)) {
        const handle = editor.getLineHandle(line - 1);
        if (!handle) continue;
        const widget = editor.addLineWidget(handle, make('div', { className: 'message' }, message.trim()));
        editor.addLineClass(handle, 'background', 'marked');
        marked.push(() => { widget.clear(); editor.removeLineClass(handle, 'background', 'marked'); });
      }
    },
  };
}
