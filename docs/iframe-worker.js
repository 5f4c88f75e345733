// Search in a site that is opened from a folder: browsers start no worker of a file, so the worker's script runs in a
// hidden frame instead. The plugin `offline` of mkdocs-material looks for a script of this name.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = () => undefined;
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => {
        for (const data of this.waiting) this.send(data);
        this.waiting = null;
      };
      inside.document.body.append(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.send(data);
    }
    send(data) {
      const inside = this.frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
