// Search from a folder: browsers start no worker from file://, so the script of one runs in a hidden frame instead.
// The build takes this file, by its name, for the polyfill that it would else load from a server.
// Messages are copied, as they are on their way to a worker.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.frame = Object.assign(document.createElement("iframe"), { hidden: true, title: "Search" });
      this.scope = new Promise((resolve, reject) => {
        this.frame.onload = () => {
          const scope = this.frame.contentWindow;
          scope.postMessage = (data) => deliver(data, (event) => this.onmessage?.(event));
          const script = Object.assign(scope.document.createElement("script"), { src: address });
          script.onload = () => resolve(scope);
          script.onerror = reject;
          scope.document.body.append(script);
        };
      });
      this.scope.catch((error) => this.onerror?.(error));
      document.body.append(this.frame);
    }
    postMessage(data) {
      this.scope.then((scope) => deliver(data, (event) => scope.onmessage(event)));
    }
    terminate() {
      this.frame.remove();
    }
  };
  const deliver = (message, receive) => {
    const data = structuredClone(message);
    setTimeout(() => receive({ data }));
  };
}
